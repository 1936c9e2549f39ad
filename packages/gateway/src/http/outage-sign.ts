import { type CallOutcome, isOutOfCredit, isRetryableStatus } from '@data-designer/core';

/** What a useless answer tells about an endpoint that has answered before. */
export interface OutageSign {
  /** How long the endpoint may be down, from its first failure after its last answer; a call waits for it until then. */
  readonly outageMs: number;
  /** How many such answers a call may get, while the endpoint answers others, before they count against it. */
  readonly spare: number;
  /** Whether the request is refused, so that one that counts is final. */
  readonly isRefusal: boolean;
}

/** How long calls wait for an endpoint that has answered before: a model server takes minutes to restart. */
export const OUTAGE_MS = 300_000;
/** How long calls wait for an endpoint if few fail and no others are to be sent. */
export const SHORTEST_OUTAGE_MS = 30_000;
/** How long a refusal may be that of a proxy that has lost its endpoint. */
const REFUSAL_MS = 60_000;

/** A fault of the endpoint or of the way to it. */
export const FAULT: OutageSign = { outageMs: OUTAGE_MS, spare: 4, isRefusal: false };
/** A refusal in the words of an API, and one without words. Both may come from a proxy that has lost its endpoint. */
const REFUSAL: OutageSign = { outageMs: REFUSAL_MS, spare: 2, isRefusal: true };
const PAGE: OutageSign = { outageMs: REFUSAL_MS, spare: 4, isRefusal: true };

/** The content of the request is refused: too long, or not understood. */
const ABOUT_CONTENT: ReadonlySet<number> = new Set([413, 414, 422, 431]);
/** Statuses with which an API speaks of the content of a request, or of the key. */
const IN_OWN_WORDS: ReadonlySet<number> = new Set([400, 401]);
/** The status of a rate limit. */
export const TOO_MANY_REQUESTS = 429;

/**
 * The sign of an outage in an answer without use: a fault, a page or nothing in place of an answer, a refusal that a proxy
 * may have sent. Undefined for an answer that says something about its request or its account.
 */
export function outageSignOf(outcome: CallOutcome): OutageSign | undefined {
  const { status, body, verdict } = outcome;
  if (verdict === 'unusable') return FAULT;
  if (status < 300 || status === TOO_MANY_REQUESTS || ABOUT_CONTENT.has(status) || isOutOfCredit(outcome)) {
    return undefined;
  }
  if (isRetryableStatus(status)) return FAULT;
  if (isPage(body)) return PAGE;
  return IN_OWN_WORDS.has(status) ? undefined : REFUSAL;
}

/** Whether a body holds no words of an API: markup, or nothing. */
function isPage(body: string): boolean {
  const text = body.trimStart();
  return text === '' || text.startsWith('<');
}
