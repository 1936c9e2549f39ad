import {
  type CallOutcome,
  fieldsOf,
  isFields,
  isRetryableStatus,
  type Redact,
  stringifyJson,
  tryParse,
} from '@data-designer/core';
import type { AnswerForm } from '@data-designer/models/protocols';
import { isEventStream, readEventStream } from './read-event-stream.ts';

const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A byte order mark, with which some servers begin their text. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A success as it is to be taken. Its body is a JSON object, whatever its content type says; anything else, such as a
 * page, half an answer or nothing, is `unusable`. A stream of events is joined to the object that the protocol would have
 * sent without one. An error in place of an answer, beside the choices or within the first one, has the status that it
 * names where that is final, or 429; any other, and an answer without a usable choice, is `no-choice`.
 */
export function takeAnswer(outcome: CallOutcome, form: AnswerForm): CallOutcome {
  const { status, headers, body } = outcome;
  if (status < 200 || status >= 300) return outcome;
  if (body.startsWith(BYTE_ORDER_MARK)) return takeAnswer({ ...outcome, body: body.slice(1) }, form);
  if (!isObject(body)) return isEventStream(body) ? takeStream(outcome, form) : { ...outcome, verdict: 'unusable' };
  if (!form.looksUsable(body)) return takeSuspect(outcome, form);
  // A body may be cut at a brace, so it counts only once it has been parsed.
  if (tryParse(body, JSON.parse) === undefined) return { ...outcome, verdict: 'unusable' };
  return /json/i.test(headers['content-type'] ?? '') ? outcome : asJson(outcome);
}

/** An answer that came as a stream, as one object; `unusable` where the stream ends before the answer does. */
function takeStream(outcome: CallOutcome, form: AnswerForm): CallOutcome {
  const stream = readEventStream(outcome.body);
  const joined = stream && form.joinEvents?.(stream.events, stream.isEnded);
  if (!joined) return { ...outcome, verdict: 'unusable' };
  return takeAnswer(asJson({ ...outcome, body: stringifyJson(joined) }), form);
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

function takeSuspect(outcome: CallOutcome, form: AnswerForm): CallOutcome {
  const taken = asJson(outcome);
  const value: unknown = tryParse(outcome.body, JSON.parse);
  if (value === undefined) return { ...taken, verdict: 'unusable' };
  const problem = form.problemIn(fieldsOf(value));
  if (!problem) return taken;
  const status = statusOf(problem.error);
  const isRefusal = status !== undefined && (status === 429 || !isRetryableStatus(status));
  return isRefusal ? { ...taken, status } : { ...taken, verdict: 'no-choice' };
}

/** The status that an error names, by its number or by a word of an API: of those that endpoints refuse with. */
function statusOf(error: unknown): number | undefined {
  if (!isFields(error)) return undefined;
  const names = [error.code, error.status, error.type];
  const number = names.map(Number).find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  return number ?? names.flatMap((name) => STATUSES.get(String(name).toLowerCase()) ?? [])[0];
}

/** The words with which APIs name a status that the same request would meet again, or that asks to wait. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['resource_exhausted', 429],
  ['insufficient_quota', 429],
  ['billing_error', 402],
  ['invalid_api_key', 401],
  ['authentication_error', 401],
  ['unauthenticated', 401],
  ['permission_error', 403],
  ['permission_denied', 403],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['invalid_argument', 400],
]);

/** The characters of a refusal that are redacted: 500 are shown. */
const MOST_REDACTED = 65_536;
/** The most characters of a secret, encoded forms included. */
const LONGEST_SECRET = 8192;

/** A refusal without secrets, cut to a length that can be redacted fast: every other call waits meanwhile. */
export function redactedOutcome(outcome: CallOutcome, redact: Redact): CallOutcome {
  const { body } = outcome;
  if (body.length <= MOST_REDACTED) return redact(outcome);
  const redacted = redact({ ...outcome, body: body.slice(0, MOST_REDACTED) });
  // A secret that the cut goes through is not recognised, so the end goes too.
  return { ...redacted, body: redacted.body.slice(0, -LONGEST_SECRET) };
}
