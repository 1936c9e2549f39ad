/** What a place was given under: what its request's end teaches depends on it. */
export interface Grant {
  /** Requests under way once it was given, itself included. */
  readonly place: number;
  /** Counts the changes of the limit that were meant as a question to the endpoint. */
  readonly round: number;
}

/** When a request was on its way, and how long it took at most to connect. */
export interface Sent {
  readonly time: number;
  readonly connectMs: number;
}

/** How a request ended, as far as a limit learns from it: "too many requests" is a refusal, a status below 300 an answer. */
export type Ending =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'other' };

/** The request was answered. */
export const ANSWERED: Ending = { kind: 'answered' };
/** The request was not sent, or ended in a way that says nothing about how many the endpoint stands. */
export const OTHER: Ending = { kind: 'other' };

/** How many requests a resource may have under way, and what is learnt from how they end. Times are in milliseconds. */
export interface PermitSource {
  /** Permits as far as is known, whether or not they may be given at the moment. */
  readonly size: number;
  /** Permits that may be taken now. */
  permits(time: number): number;
  /** Milliseconds until there may be more of them without any request ending; undefined if that cannot be. */
  untilMore(time: number): number | undefined;
  /** A place was given; `inFlight` counts it. */
  grant(inFlight: number): Grant;
  /** The request of a grant is on its way: the connection stands. */
  sent(grant: Grant, at: Sent): void;
  /** A request has ended; `inFlight` are those that are left. */
  end(grant: Grant, ending: Ending, now: { readonly inFlight: number; readonly time: number }): void;
}

const ANY: Grant = { place: 0, round: 0 };

/** A limit that learns nothing: a number, or one that is worked out whenever it is asked for. */
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
