import type { CallOutcome } from '@data-designer/core';

const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** An answer that tells of an error instead holds little else: a longer one is not looked through. */
const LONGEST_ERROR = 4000;

const STREAMED = /^\s*data:/;

/** What an answer holds when it is one: of chats, of vectors and pictures, of the Messages protocol. */
const CONTENTS = ['choices', 'data', 'content'] as const;

/**
 * A success as it is to be taken. Its body is a JSON object, whatever its content type says; anything else, such as a
 * page, half an answer or nothing, is marked as unusable. An error in place of an answer, as gateways send it when the
 * endpoint behind them fails, has the status that it names, or is unusable, too. Looks at the ends of the body, and
 * parses it only where it is short and tells of an error.
 */
export function takeAnswer(outcome: CallOutcome): CallOutcome {
  const { status, headers, body } = outcome;
  if (status < 200 || status >= 300) return outcome;
  // An answer in pieces was asked for, and paid: it would come so again.
  if (!isObject(body)) return STREAMED.test(body) ? outcome : { ...outcome, verdict: 'unusable' };
  if (body.length <= LONGEST_ERROR && body.includes('"error"')) return takeSuspect(outcome);
  return /json/i.test(headers['content-type'] ?? '') ? outcome : asJson(outcome);
}

/** Whether text begins and ends as a JSON object does. */
function isObject(body: string): boolean {
  let start = 0;
  let end = body.length - 1;
  while (body.charCodeAt(start) <= SPACE) start++;
  while (end > start && body.charCodeAt(end) <= SPACE) end--;
  return body.charCodeAt(start) === OPEN && body.charCodeAt(end) === CLOSE;
}

function asJson({ headers, ...outcome }: CallOutcome): CallOutcome {
  return { ...outcome, headers: { ...headers, 'content-type': 'application/json' } };
}

function takeSuspect(outcome: CallOutcome): CallOutcome {
  const taken = asJson(outcome);
  const value = parsed(outcome.body);
  if (value === undefined) return { ...taken, verdict: 'unusable' };
  if (!value.error || CONTENTS.some((key) => Array.isArray(value[key]) && value[key].length > 0)) return taken;
  const status = statusOf(value.error);
  return status === undefined ? { ...taken, verdict: 'unusable' } : { ...taken, status };
}

function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(body) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** The status that an error names: of those that endpoints refuse with. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  return [code, status].map(Number).find((one) => Number.isInteger(one) && one >= 400 && one < 600);
}
