import type { CallOutcome } from './gateway.ts';
import { fieldsOf } from './json-fields.ts';

/** Longer bodies are not searched: an error is short. */
const LONGEST = 20_000;

/** The fields that describe an error; others may repeat the request. */
const ERROR_FIELDS = ['error', 'detail', 'message', 'code', 'type', 'status'] as const;

/** The text of a refusal: message, code and type of a JSON error, one per line, else the body; empty for a long body. */
export function refusalText(body: string): string {
  if (body.length > LONGEST) return '';
  try {
    return errorTexts(JSON.parse(body)).join('\n');
  } catch {
    return body;
  }
}

function errorTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(errorTexts);
  if (typeof value !== 'object' || value === null) return [];
  return ERROR_FIELDS.flatMap((field) => errorTexts(fieldsOf(value)[field]));
}

/** Wordings that always mean an account without credit. */
const SPENT =
  /insufficient[_ ](?:quota|credits?|funds|balance)|credit balance is too low|(?:purchase|buy|out of|not enough) (?:more )?credits|billing[_ ](?:hard[_ ])?limit|billing[_ ]not[_ ]active/i;
/** Wordings for an account without credit or for an exceeded rate. */
const QUOTA = /exceeded your (?:current|monthly) quota|quota exceeded|billing details/i;
/** Wordings of a rate: a quota per unit of time, or one that is restored. */
const RATE = /per[ _-]?(?:second|minute|hour|day)|(?:retry|try again) (?:in|after)|rate[ _]limit/i;

/** Anthropic's wording, with status 400. */
const SPENT_AS_BAD_REQUEST = /^your credit balance is too low/im;

/**
 * Whether a refusal means that the account has no credit, so that waiting does not help: always with 402; with 403 and 429
 * by its text, unless the text or `retry-after` says when to retry; with 400 only in Anthropic's wording.
 */
export function isOutOfCredit({ status, headers, body }: CallOutcome): boolean {
  if (status === 402) return true;
  if (status === 400) return SPENT_AS_BAD_REQUEST.test(refusalText(body));
  if (status !== 403 && status !== 429) return false;
  const text = refusalText(body);
  if (SPENT.test(text)) return true;
  return headers['retry-after'] === undefined && QUOTA.test(text) && !RATE.test(text);
}
