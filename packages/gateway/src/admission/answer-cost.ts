import {
  type CallOutcome,
  type CallPath,
  costOfTokens,
  fieldsOf,
  type PaidTokens,
  type Pricing,
  type TokenCounts,
  tryParse,
} from '@data-designer/core';
import { protocolOfPath, readTokens } from '@data-designer/models/protocols';

/**
 * What an answer cost by the tokens and pictures in its body, in the currency of the prices; 0 if it tells none.
 * Finds `usage` from the end without parsing the rest, since nearly all answers have it there.
 */
export function costOfAnswer(body: string, path: CallPath, pricing: Pricing): number {
  const paid = tokensOfAnswer(body);
  const tokens = paid ? costOfTokens(paid, pricing) : 0;
  return pricing.image === null
    ? tokens
    : tokens + pricing.image * (protocolOfPath(path)?.paths[path]?.countImages(body) ?? 0);
}

/** The tokens that an answer tells, whether it can be used or not; undefined if it tells none. */
export function tokensOfAnswer(body: string): PaidTokens | undefined {
  return paidTokens(reportedTokens(body));
}

/** Whether an outcome holds no answer, so that it costs its tokens alone. */
export function isUseless({ status, verdict }: Pick<CallOutcome, 'status' | 'verdict'>): boolean {
  return status >= 300 || verdict !== undefined;
}

/** The tokens that an outcome without an answer was charged for. Usage in a 429 may be that of a time window. */
export function tokensPaidFor({ status, body }: Pick<CallOutcome, 'status' | 'body'>): PaidTokens | undefined {
  return status === 429 ? undefined : tokensOfAnswer(body);
}

/** The token counts in the body of an answer; null for absent ones. */
export function reportedTokens(body: string): TokenCounts {
  const told = readTokens(usageAtEnd(body));
  return paidTokens(told) ? told : readTokens(usageOfAll(body));
}

/** Undefined if there are neither input nor output tokens. */
function paidTokens({ input, cachedInput, output }: TokenCounts): PaidTokens | undefined {
  if (input === null && output === null) return undefined;
  return { input: input ?? 0, cachedInput: cachedInput ?? 0, output: output ?? 0 };
}

/** The last object under the key `usage`; within text the quotes of the key would be escaped. */
function usageAtEnd(body: string): unknown {
  const key = body.lastIndexOf('"usage"');
  if (key < 0) return undefined;
  const start = body.indexOf('{', key);
  if (start < 0 || body.slice(key + '"usage"'.length, start).trim() !== ':') return undefined;
  const end = endOfObject(body, start);
  return end < 0 ? undefined : tryParse(body.slice(start, end), JSON.parse);
}

/** The end of the object that begins at `start`, braces in strings skipped; -1 if it does not end. */
function endOfObject(body: string, start: number): number {
  let depth = 0;
  let inText = false;
  for (let at = start; at < body.length; at++) {
    const code = body.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return at + 1;
  }
  return -1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

function usageOfAll(body: string): unknown {
  return body.includes('"usage"') ? fieldsOf(tryParse(body, JSON.parse)).usage : undefined;
}
