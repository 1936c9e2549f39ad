import { type CallOutcome, type CallPath, isRetryableStatus } from '@data-designer/core';

const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const STREAMED = /^\s*data:/;

/** The member of an answer that holds what was asked for, by path. */
const CONTENTS: Readonly<Partial<Record<CallPath, string>>> = {
  'chat/completions': 'choices',
  messages: 'content',
  embeddings: 'data',
  'images/generations': 'data',
};

/** A quote within a string stands behind a backslash, so that this is a key or a whole string. */
const ERROR = '"error"';
const DATA = '"data"';
/** A chat completion that has a first choice with a message; the rare others are parsed. */
const FIRST_CHOICE = /"choices"\s*:\s*\[\s*\{/;
const MESSAGE = /"message"\s*:\s*\{/;
/** The same of an answer of the Messages protocol: it may hold no blocks, but must have the list. */
const BLOCKS = /"content"\s*:\s*\[/;

/** The finish reason of an answer whose generation failed (as OpenRouter says it), and of one that was held back. */
const FAILED = 'error';
const HELD_BACK = 'content_filter';

/**
 * A success as it is to be taken. Its body is a JSON object, whatever its content type says; anything else, such as a
 * page, half an answer or nothing, is `unusable`. An error in place of an answer, beside the choices or within the first
 * one, has the status that it names where that is final, or 429; any other, and an answer without a usable choice, is
 * `no-choice`. Parses only what looks like one of these.
 */
export function takeAnswer(outcome: CallOutcome, path: CallPath = 'chat/completions'): CallOutcome {
  const { status, headers, body } = outcome;
  if (status < 200 || status >= 300) return outcome;
  // An answer in pieces was asked for, and paid: it would come so again.
  if (!isObject(body)) return STREAMED.test(body) ? outcome : { ...outcome, verdict: 'unusable' };
  if (isSuspect(body, path)) return takeSuspect(outcome, path);
  return /json/i.test(headers['content-type'] ?? '') ? outcome : asJson(outcome);
}

/** Whether a success, as journals of earlier versions may hold it, answers nothing. */
export function hasNoChoice(outcome: CallOutcome, path: CallPath): boolean {
  if (!(path in CONTENTS) || outcome.status !== 200) return false;
  return takeAnswer(outcome, path).verdict === 'no-choice';
}

/** Whether text begins and ends as a JSON object does. */
function isObject(body: string): boolean {
  let start = 0;
  let end = body.length - 1;
  while (body.charCodeAt(start) <= SPACE) start++;
  while (end > start && body.charCodeAt(end) <= SPACE) end--;
  return body.charCodeAt(start) === OPEN && body.charCodeAt(end) === CLOSE;
}

function isSuspect(body: string, path: CallPath): boolean {
  if (body.includes(ERROR)) return true;
  if (path === 'chat/completions') return !(FIRST_CHOICE.test(body) && MESSAGE.test(body));
  if (path === 'messages') return !BLOCKS.test(body);
  return path in CONTENTS && !body.includes(DATA);
}

function asJson({ headers, ...outcome }: CallOutcome): CallOutcome {
  return { ...outcome, headers: { ...headers, 'content-type': 'application/json' } };
}

type Fields = Readonly<Record<string, unknown>>;

function takeSuspect(outcome: CallOutcome, path: CallPath): CallOutcome {
  const taken = asJson(outcome);
  const value = parsed(outcome.body);
  if (value === undefined) return { ...taken, verdict: 'unusable' };
  if (isUsable(value, path)) return taken;
  const status = statusOf(value.error || firstChoice(value)?.error);
  const isRefusal = status !== undefined && (status === 429 || !isRetryableStatus(status));
  return isRefusal ? { ...taken, status } : { ...taken, verdict: 'no-choice' };
}

/** Whether an answer has the member that its path asks for. With that member filled, an error beside it is ignored. */
function isUsable(value: Fields, path: CallPath): boolean {
  const key = CONTENTS[path];
  if (key === undefined) return !value.error;
  if (path === 'messages') return Array.isArray(value[key]) && (!value.error || isFilled(value[key]));
  if (path !== 'chat/completions') return value[key] !== undefined && (!value.error || isFilled(value[key]));
  const choice = firstChoice(value);
  if (!choice || choice.error || choice.finish_reason === FAILED) return false;
  // What is held back by a filter may come without a message.
  return isFields(choice.message) || choice.finish_reason === HELD_BACK;
}

function isFilled(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0;
}

function firstChoice({ choices }: Fields): Fields | undefined {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isFields(first) ? first : undefined;
}

function parsed(body: string): Fields | undefined {
  try {
    return JSON.parse(body) as Fields;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The status that an error names: of those that endpoints refuse with. */
function statusOf(error: unknown): number | undefined {
  if (!isFields(error)) return undefined;
  return [error.code, error.status].map(Number).find((one) => Number.isInteger(one) && one >= 400 && one < 600);
}
