import { fieldsOf, itemsOf } from '@data-designer/core';
import { isErrorResult } from './tool-result.ts';
import type { ToolCallResult } from './tool-session.ts';

/** Texts with which servers say that they do not know a session, whatever status or code they give. */
const GONE = [
  /\bsession(?:[ _-]?id)?\b[^.\n]{0,60}?\b(?:not found|not valid|expired|invalid|unknown|missing|required|closed|terminated|ended|no longer|(?:does|did) ?n[o']t exist)/i,
  /\b(?:invalid|unknown|expired|missing|stale|bad|no valid|no such|no active|could not find)\b[^.\n]{0,20}?\bsession\b/i,
  /\bnot (?:been |yet )*initiali[sz]ed\b|\bbefore (?:the )?initiali[sz]ation\b/i,
];

/** Whether a server's text says that it does not know the session of a request. */
export function saysSessionIsGone(text: string): boolean {
  return GONE.some((pattern) => pattern.test(text));
}

/** Refusals that have another reason than a session: too slow, too large, too many. */
const OTHER_REASONS: ReadonlySet<number> = new Set([408, 413, 429]);

/** Whether a session that has gone would explain an HTTP status. */
export function isDoubtfulStatus(status: number, { text, hasSession }: { text: string; hasSession: boolean }): boolean {
  if (OTHER_REASONS.has(status)) return false;
  return status === 404 || (status < 500 && hasSession) || saysSessionIsGone(text);
}

/** Whether a session that has gone would explain the end of a call. */
export function isDoubtful(ended: ToolCallResult): boolean {
  if (ended.kind !== 'answered') return ended.isSessionDoubt === true;
  return isErrorResult(fieldsOf(ended.result)) && saysSessionIsGone(textOf(ended.result));
}

/** What a doubtful end says. */
export function reasonOfDoubt(ended: ToolCallResult): string {
  return ended.kind === 'answered' ? textOf(ended.result) : ended.reason;
}

function textOf(result: object): string {
  const texts = itemsOf(fieldsOf(result).content).map((item) => fieldsOf(item).text);
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** A tool's refusal. */
interface Refusal {
  readonly tool: string;
  readonly reason: string;
}

/** How long a refusal counts as known. */
const KNOWN_MS = 10_000;
/** At most so many are known. */
const MOST_KNOWN = 1_000;

/** The refusals that a new session met too, for a short time: their repetition would cost a session each. */
export class KnownRefusals {
  readonly #until = new Map<string, number>();

  has(refusal: Refusal): boolean {
    return (this.#until.get(keyOf(refusal)) ?? 0) > performance.now();
  }

  add(refusal: Refusal): void {
    if (this.#until.size >= MOST_KNOWN) this.#until.clear();
    this.#until.set(keyOf(refusal), performance.now() + KNOWN_MS);
  }
}

/** Numbers and identifiers in a text differ from request to request. */
function keyOf({ tool, reason }: Refusal): string {
  return `${tool}\n${reason.replaceAll(/\b[\da-f-]{8,}\b|\d+/gi, '#')}`;
}
