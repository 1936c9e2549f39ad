import { fieldsOf } from '@data-designer/core';
import { HttpRefusal } from './http-refusal.ts';
import type { Link } from './link.ts';
import type { JsonObject, ToolCallResult } from './tool-session.ts';

/** The versions with a handshake, the latest first. */
const VERSIONS: readonly unknown[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** The version without a handshake: each request carries it. */
const STATELESS = '2026-07-28';
const CLIENT = { name: 'data-designer', version: '1.0.0' } as const;

/** What client and server agreed on. */
export interface Agreement {
  /** What the server can do. */
  readonly capabilities: JsonObject;
  /** The `_meta` that each request must carry; undefined after a handshake. */
  readonly meta: JsonObject | undefined;
}

/** Sends one request; rejects with an `HttpRefusal` or a `SessionFault`. */
export type Ask = (method: string, params: JsonObject) => Promise<ToolCallResult>;

/**
 * The handshake. A server that refuses it is asked once whether it speaks the version without one. Rejects with the reason of the
 * first refusal.
 */
export async function agree(link: Link, ask: Ask): Promise<Agreement> {
  try {
    return await shakeHands(link, ask);
  } catch (refusal) {
    const agreed = isAboutProtocol(refusal) ? await discover(link, ask) : undefined;
    if (agreed === undefined) throw refusal;
    return agreed;
  }
}

/** A server that answered the handshake with a mistake. */
class HandshakeRefusal extends Error {}

async function shakeHands(link: Link, ask: Ask): Promise<Agreement> {
  const answer = await ask('initialize', { protocolVersion: VERSIONS[0], capabilities: {}, clientInfo: CLIENT });
  if (answer.kind !== 'answered') throw new HandshakeRefusal(answer.reason);
  const { protocolVersion, capabilities } = fieldsOf(answer.result);
  if (!VERSIONS.includes(protocolVersion)) {
    throw new HandshakeRefusal(`Server's protocol version is not supported: ${String(protocolVersion)}`);
  }
  link.useVersion(String(protocolVersion));
  await link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { capabilities: fieldsOf(capabilities), meta: undefined };
}

/** Whether a refusal may come from a server that knows no handshake. */
function isAboutProtocol(thrown: unknown): boolean {
  if (thrown instanceof HandshakeRefusal) return true;
  if (!(thrown instanceof HttpRefusal)) return false;
  const { status } = thrown;
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/** What a server without a handshake says about itself; undefined if it is none. */
async function discover(link: Link, ask: Ask): Promise<Agreement | undefined> {
  link.useVersion(STATELESS);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const answer = await ask('server/discover', { _meta: meta }).catch(() => undefined);
  if (answer?.kind !== 'answered') return undefined;
  const { supportedVersions, capabilities } = fieldsOf(answer.result);
  const isSpoken = Array.isArray(supportedVersions) && supportedVersions.includes(STATELESS);
  return isSpoken ? { capabilities: fieldsOf(capabilities), meta } : undefined;
}

/** The headers that repeat a message of the version without a handshake. */
export function statelessHeaders(method: string, name: unknown): Readonly<Record<string, string>> {
  return { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': headerText(name) }) };
}

/** A text as the value of a header: as Base64 where a header cannot hold it. */
export function headerText(text: string): string {
  if (/^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
