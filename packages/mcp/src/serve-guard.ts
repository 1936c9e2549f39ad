import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { ServeOptions } from './serve-options.ts';

/** Why a request is turned away. */
interface Refusal {
  readonly status: 401 | 403;
  readonly reason: string;
}

/** Says of each request whether it must be turned away. */
type Guard = (request: IncomingMessage) => Refusal | undefined;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that stand for all of this machine's. */
const ANY = ['0.0.0.0', '::'];

/**
 * Keeps web pages out that reach this server through a browser: a request must call it by a name that is its own, or by
 * its number where it listens at all of them, and may come only from a page of such a name. A name that somebody else
 * made point here is neither (DNS rebinding). Where a token is wanted, every request must have it.
 */
export function guard({ host = '127.0.0.1', allowedHosts = [], token }: ServeOptions): Guard {
  const listensAtAll = ANY.includes(host);
  const names = new Set([...LOOPBACK, nameIn(host), ...allowedHosts.map(nameIn)]);
  if (listensAtAll) names.add(hostname().toLowerCase());
  const isOwn = (name: string): boolean => names.has(name) || (listensAtAll && isNumber(name));
  return ({ headers }) => {
    const name = nameOf(`http://${headers.host ?? ''}`);
    if (name === undefined || !isOwn(name)) return { status: 403, reason: 'This server has another name.' };
    const { origin } = headers;
    const page = origin === undefined ? undefined : nameOf(origin);
    // A number that is not ours is nobody's proof.
    if (origin !== undefined && page !== name && (page === undefined || !names.has(page))) {
      return { status: 403, reason: 'Pages of other origins may not call this server.' };
    }
    if (token === undefined || isToken(headers.authorization ?? '', token)) return undefined;
    return { status: 401, reason: 'This server wants its token as a bearer token.' };
  };
}

/** The name in an http(s) address, as it stands in addresses; undefined for all else. */
function nameOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname: name } = new URL(address);
  return /^https?:$/.test(protocol) && name !== '' ? name : undefined;
}

/** A host as it stands in addresses. */
function nameIn(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

function isNumber(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Compared by hashes, so that the time it takes tells nothing of the token. */
function isToken(authorization: string, token: string): boolean {
  return timingSafeEqual(hashOf(authorization), hashOf(`Bearer ${token}`));
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
