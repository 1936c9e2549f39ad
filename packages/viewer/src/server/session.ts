import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { guard } from '@data-designer/mcp/http';
import { RequestFailure } from './request-failure.ts';

/** Where a viewer listens. */
export interface SessionOptions {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  /** What the token and the cookie are made of: with the same one, a page outlives its server. Default: random. */
  readonly secret?: Buffer | undefined;
}

const TOKEN_BYTES = 16;

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Decides which requests are answered: those of the pages of this server, in a browser that has shown its token. */
export class Session {
  /** 128 random bits, part of the address that is opened. */
  readonly token: string;
  readonly #secret: string;
  /** Tokens that are good for one exchange: other users see the arguments of the program that opens the browser. */
  readonly #once = new Set<string>();
  readonly #refusalOf: ReturnType<typeof guard>;

  constructor(options: SessionOptions) {
    this.#refusalOf = guard(options);
    const { secret = randomBytes(TOKEN_BYTES) } = options;
    const derived = (use: string) =>
      createHmac('sha256', secret).update(use).digest().subarray(0, TOKEN_BYTES).toString('base64url');
    this.token = derived('token');
    this.#secret = derived('cookie');
  }

  /** A token that can be exchanged once. */
  tokenForOnce(): string {
    const token = newToken();
    this.#once.add(token);
    return token;
  }

  /** Rejects requests of other pages and to other names, whether or not they know the token. */
  checkPage(request: IncomingMessage): void {
    const refusal = this.#refusalOf(request);
    if (refusal) throw new RequestFailure(refusal.status, 'view/bad-request', refusal.reason);
    const { origin, host = '', 'sec-fetch-site': site = 'none' } = request.headers;
    // A page of another port of this machine is a foreign page too.
    const isOwn = (origin === undefined || origin === `http://${host}`) && (site === 'none' || site === 'same-origin');
    if (!isOwn) throw new RequestFailure(403, 'view/bad-request', 'Pages of other origins must not call this server.');
  }

  /** Rejects requests without the cookie. */
  checkCookie({ headers, socket }: IncomingMessage): void {
    const wanted = cookieName(socket.localPort);
    const cookies = (headers.cookie ?? '').split('; ').map((cookie) => cookie.split('='));
    const found = cookies.find(([name]) => name === wanted)?.[1] ?? '';
    if (!isEqual(found, this.#secret)) {
      throw new RequestFailure(401, 'view/bad-request', 'Open the address that the command printed: it has the token.');
    }
  }

  /** The cookie for a page that knows the token. */
  cookieFor(token: unknown, { socket }: IncomingMessage): string {
    const isKnown = typeof token === 'string' && (isEqual(token, this.token) || this.#once.delete(token));
    if (!isKnown) {
      throw new RequestFailure(
        401,
        'view/bad-request',
        'The token is wrong: open the address that the command printed.',
      );
    }
    return `${cookieName(socket.localPort)}=${this.#secret}; HttpOnly; SameSite=Strict; Path=/`;
  }
}

/** Cookies of a host are shared by its ports: each server has a name of its own. */
function cookieName(port = 0): string {
  return `data-designer-view-${port}`;
}

/** Compares hashes, so that the time of the comparison reveals nothing. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(hashOf(one), hashOf(other));
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
