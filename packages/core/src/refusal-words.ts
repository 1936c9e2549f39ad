import type { CallOutcome } from './gateway.ts';
import { fieldsOf } from './json-fields.ts';

/** A refusal is short; what is longer is not searched. */
const LONGEST = 20_000;

/** Fields in which an error says what it is, in its own words: others may hold what was asked. */
const OWN_FIELDS = ['error', 'detail', 'message', 'code', 'type', 'status'] as const;

/**
 * What a refusal says of itself: the message, code and type of its error where its body is JSON, a line each, else the
 * body; nothing of one that is longer than any refusal.
 */
export function refusalWords(body: string): string {
  if (body.length > LONGEST) return '';
  try {
    return ownWords(JSON.parse(body)).join('\n');
  } catch {
    return body;
  }
}

function ownWords(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(ownWords);
  if (typeof value !== 'object' || value === null) return [];
  return OWN_FIELDS.flatMap((field) => ownWords(fieldsOf(value)[field]));
}

/** What endpoints say of an account that has nothing left, whatever else they say. */
const SPENT =
  /insufficient[_ ](?:quota|credits?|funds|balance)|credit balance is too low|(?:purchase|buy|out of|not enough) (?:more )?credits|billing[_ ](?:hard[_ ])?limit|billing[_ ]not[_ ]active/i;
/** What some say, too, and others when a rate is exceeded. */
const QUOTA = /exceeded your (?:current|monthly) quota|quota exceeded|billing details/i;
/** A quota of a time, or one that comes back: a rate. */
const COMES_BACK = /per[ _-]?(?:second|minute|hour|day)|(?:retry|try again) (?:in|after)|rate[ _]limit/i;

/** What Anthropic says with status 400. */
const SPENT_AS_BAD_REQUEST = /^your credit balance is too low/im;

/**
 * Whether a refusal says that the account has nothing left, so that waiting does not help: always with 402; with 403 and
 * 429 by its words, unless they or `retry-after` say when to come back; with 400 in Anthropic's words alone.
 */
export function saysAccountIsSpent({ status, headers, body }: CallOutcome): boolean {
  if (status === 402) return true;
  if (status === 400) return SPENT_AS_BAD_REQUEST.test(refusalWords(body));
  if (status !== 403 && status !== 429) return false;
  const words = refusalWords(body);
  if (SPENT.test(words)) return true;
  return headers['retry-after'] === undefined && QUOTA.test(words) && !COMES_BACK.test(words);
}
