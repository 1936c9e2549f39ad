import type { PaidTokens } from '@data-designer/core';

/** The setting whose rate a call waits for. */
export type RateSetting = 'requests_per_minute' | 'tokens_per_minute';

/** The state in which a permit was granted: what the end of its request teaches depends on it. */
export interface Grant {
  /** Requests in flight after the grant, itself included. */
  readonly inFlight: number;
  /** Counts the changes of the limit whose effect is to be observed. */
  readonly round: number;
}

/** When a request was sent, how long connecting took at most, and the length of its body. */
export interface SentRequest {
  readonly time: number;
  readonly connectMs: number;
  readonly bodyChars: number;
}

/** The state when a request ended: the other requests in flight, and the tokens that its answer tells if they are counted. */
export interface EndState {
  readonly inFlight: number;
  readonly time: number;
  readonly tokens?: PaidTokens | undefined;
}

/** How a request ended, for the permit source: 429 is a refusal, a status below 300 an answer. */
export type Ending =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'other' };

/** The request was answered. */
export const ANSWERED: Ending = { kind: 'answered' };
/** The request was not sent, or its end says nothing about the capacity of the endpoint. */
export const OTHER: Ending = { kind: 'other' };

/** Says how many requests a resource may have in flight, and learns from how they end. Times are in milliseconds. */
export interface PermitSource {
  /** The limit as far as it is known, also while no permit is granted. */
  readonly size: number;
  /** How many permits may be held now. */
  permits(time: number): number;
  /** Milliseconds until there may be more although no request ends; undefined if time brings none. */
  untilMore(time: number): number | undefined;
  /** The rate per minute for which a call would wait now; absent for sources without rates. */
  rateWait?(time: number): RateSetting | undefined;
  /** Whether `end` receives the tokens of answers; default: no. */
  readonly countsTokens?: boolean;
  /** A permit was granted; `inFlight` counts it. */
  grant(inFlight: number, time: number): Grant;
  /** The request of a grant was sent over an open connection. */
  sent(grant: Grant, at: SentRequest): void;
  /** The request of a grant ended. */
  end(grant: Grant, ending: Ending, now: EndState): void;
}

const ANY: Grant = { inFlight: 0, round: 0 };

/** A permit source that learns nothing: a number, or a function that computes it each time. */
export function fixedLimit(permits: number | (() => number)): PermitSource {
  const count = typeof permits === 'number' ? () => permits : permits;
  return {
    get size() {
      return count();
    },
    permits: count,
    untilMore: () => undefined,
    grant: () => ANY,
    sent: () => {},
    end: () => {},
  };
}
