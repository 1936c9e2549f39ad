import type { RpcMessage } from './link.ts';
import type { JsonObject } from './tool-session.ts';

const METHOD_NOT_FOUND = -32_601;

/** The answer to a request of a server: this client declares no capabilities, so that it answers only a ping. */
export function answerToServer({ id, method }: Partial<RpcMessage>): JsonObject {
  if (method === 'ping') return { jsonrpc: '2.0', id, result: {} };
  const message = `this client does not support ${String(method)}`;
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message } };
}
