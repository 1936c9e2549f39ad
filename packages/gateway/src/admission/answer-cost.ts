import { type CallPath, costOfTokens, type PaidTokens, type Pricing } from '@data-designer/core';
import { readTokens } from '@data-designer/models';

/**
 * What an answer cost by the tokens and pictures in its body, in the currency of the prices; 0 where it tells none.
 * Finds `usage` from the end without parsing the rest, as it stands there in nearly all answers.
 */
export function costOfAnswer(body: string, path: CallPath, pricing: Pricing): number {
  const paid = tokensOfAnswer(body);
  const tokens = paid ? costOfTokens(paid, pricing) : 0;
  return pricing.image === null ? tokens : tokens + pricing.image * picturesIn(body, path);
}

function paidTokens(usage: unknown): PaidTokens {
  const { input, cachedInput, output } = readTokens(usage);
  return { input: input ?? 0, cachedInput: cachedInput ?? 0, output: output ?? 0 };
}

/** The tokens that an answer tells, whether it can be used or not; undefined where it tells none. */
export function tokensOfAnswer(body: string): PaidTokens | undefined {
  const usage = usageAtEnd(body) ?? usageOfAll(body);
  return usage && paidTokens(usage);
}

/** The last object under the key `usage`; in text the key would stand with backslashes. */
function usageAtEnd(body: string): object | undefined {
  const key = body.lastIndexOf('"usage"');
  if (key < 0) return undefined;
  const start = body.indexOf('{', key);
  if (start < 0 || body.slice(key + '"usage"'.length, start).trim() !== ':') return undefined;
  const end = endOfObject(body, start);
  if (end < 0) return undefined;
  try {
    return tellsTokens(JSON.parse(body.slice(start, end)));
  } catch {
    return undefined;
  }
}

/** Where the object that begins at `start` ends; -1 if it does not, or holds text in which braces could stand. */
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

function tellsTokens(usage: unknown): object | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const { input, output } = readTokens(usage);
  return input === null && output === null ? undefined : usage;
}

function usageOfAll(body: string): object | undefined {
  if (!body.includes('"usage"')) return undefined;
  try {
    return tellsTokens((JSON.parse(body) as { readonly usage?: unknown } | null)?.usage);
  } catch {
    return undefined;
  }
}

/** Pictures of the image API stand under these keys, each in one of them; those of a chat under this one. */
const PICTURE = /"(?:b64_json|url)"\s*:\s*"/g;
const CHAT_PICTURE = /"image_url"\s*:\s*["{]/g;

function picturesIn(body: string, path: CallPath): number {
  if (path !== 'images/generations' && path !== 'chat/completions') return 0;
  return body.match(path === 'images/generations' ? PICTURE : CHAT_PICTURE)?.length ?? 0;
}
