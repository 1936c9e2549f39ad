import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { ServeOptions } from './serve-options.ts';

/** Why a request is refused. */
interface Refusal {
  readonly status: 401 | 403;
  readonly reason: string;
}

/** Returns why a request is refused; undefined if it is allowed. */
type Guard = (request: IncomingMessage) => Refusal | undefined;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that mean all addresses of this machine. */
const ANY = ['0.0.0.0', '::'];

/**
 * Refuses web pages that reach this server through a browser (DNS rebinding): the `Host` of a request must be one of the
 * server's own names, or an IP address if it listens at all addresses, and the `Origin` must have such a name too. With a
 * token, every request must carry it.
 */
export function guard({
  host = '127.0.0.1',
  allowedHosts = [],
  token,
}: Pick<ServeOptions, 'host' | 'allowedHosts' | 'token'>): Guard {
  const listensAtAll = ANY.includes(host);
  const names = new Set([...LOOPBACK, nameIn(host), ...allowedHosts.map(nameIn)]);
  if (listensAtAll) names.add(hostname().toLowerCase());
  const isOwn = (name: string): boolean => names.has(name) || (listensAtAll && isNumber(name));
  return ({ headers }) => {
    const name = nameOf(`http://${headers.host ?? ''}`);
    if (name === undefined || !isOwn(name))
      return { status: 403, reason: 'The Host header does not name this server.' };
    const { origin } = headers;
    const page = origin === undefined ? undefined : nameOf(origin);
    // An IP address that is not the server's own proves nothing.
    if (origin !== undefined && page !== name && (page === undefined || !names.has(page))) {
      return { status: 403, reason: 'Pages of other origins must not call this server.' };
    }
    if (token === undefined || isToken(headers.authorization ?? '', token)) return undefined;
    return { status: 401, reason: 'Send the token of this server as a bearer token.' };
  };
}

/** The host name of an http(s) address; undefined for any other text. */
function nameOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname: name } = new URL(address);
  return /^https?:$/.test(protocol) && name !== '' ? name : undefined;
}

/** A host in the form of addresses. */
function nameIn(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

function isNumber(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Compares hashes, so that the time of the comparison reveals nothing about the token. */
function isToken(authorization: string, token: string): boolean {
  return timingSafeEqual(hashOf(authorization), hashOf(`Bearer ${token}`));
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
