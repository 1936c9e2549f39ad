import { DEEPEST_CALL, fieldsOf, isDeeperThanCalls, type Redact } from '@data-designer/core';
import { rateLimitOf } from './busy-waits.ts';
import type { HttpRefusal } from './http-refusal.ts';
import type { RpcMessage } from './link.ts';
import { saysSessionIsGone } from './session-doubt.ts';
import { isErrorResult } from './tool-result.ts';
import type { ToolCallResult } from './tool-session.ts';

/** The error code of JSON-RPC for a method that a server does not know, or does not allow for this tool. */
const METHOD_NOT_FOUND = -32_601;
/** The error code of MCP for headers that are missing or do not repeat the body (2026-07-28). */
const HEADER_MISMATCH = -32_020;

/** The end of a call by a server's answer. Redacts a result that is marked as an error; another stays as it is, as does one that may be deep. */
export function readAnswer(
  { result, error }: Partial<RpcMessage>,
  { redact, mayBeDeep = false }: { readonly redact: Redact; readonly mayBeDeep?: boolean },
): ToolCallResult {
  if (!mayBeDeep && isDeeperThanCalls(result))
    return { kind: 'failed', reason: `its result is nested in more than ${DEEPEST_CALL} levels` };
  if (typeof result === 'object' && result !== null && !isFilled(error)) {
    return { kind: 'answered', result: !mayBeDeep && isErrorResult(fieldsOf(result)) ? redact(result) : result };
  }
  const { message = error, code, data } = fieldsOf(error);
  const unsaid = error === undefined ? 'its answer is not an MCP result' : 'it gave no reason';
  const reason = redact(withoutPrefix(textOf(message))) || unsaid;
  const failed = { kind: 'failed', reason: withData(reason, redact(textOf(data))) } as const;
  const rateLimit = rateLimitOf(error);
  if (rateLimit !== undefined) return { ...failed, rateLimit };
  if (saysSessionIsGone(reason)) return { ...failed, isUnsent: true, isSessionDoubt: true };
  if (code === HEADER_MISMATCH) return { ...failed, isHeaderMismatch: true };
  return code === METHOD_NOT_FOUND ? { ...failed, isUnknownMethod: true } : failed;
}

/** Whether there is an error, and not only an empty member of that name beside a result. */
function isFilled(error: unknown): boolean {
  return typeof error === 'object' && error !== null ? Object.keys(error).length > 0 : Boolean(error);
}

/** The end of a call that the server refused with a status. It has run nothing if that is about the session. */
export function readRefused(cause: HttpRefusal): ToolCallResult {
  const failed = { kind: 'failed', reason: cause.message, cause } as const;
  if (cause.rpcCode === HEADER_MISMATCH) return { ...failed, isHeaderMismatch: true };
  return cause.isSessionDoubt ? { ...failed, isUnsent: true, isSessionDoubt: true } : failed;
}

/** Characters of an error's data in a reason. */
const DATA_KEPT = 500;

function withData(reason: string, data: string): string {
  return data === '' || reason.includes(data) ? reason : `${reason} (${data.slice(0, DATA_KEPT)})`;
}

/** A server may send any value as the message or the data of an error. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  return isDeeperThanCalls(value) ? '' : JSON.stringify(value);
}

/** The message without the prefix of an SDK. */
export function withoutPrefix(message: string): string {
  return message.replace(/^(?:MCP error -?\d+: )+/, '');
}
