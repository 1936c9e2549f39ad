/** How a failure is printed and treated. */
export interface Failure<Data> {
  readonly say: (data: Data) => string;
  readonly retryable: boolean;
  /** Whether the journal records the failed cell, because another attempt may end differently. */
  readonly recorded?: boolean;
}

/** A permanent failure: a retry would fail the same way. */
export const permanent = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: false });

/** A transient failure: a retry may succeed. */
export const transient = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: true });

/** A cell failure that depends on the machine: the journal records it so that a replay fails the same way. */
export const recorded = <Data>(say: (data: Data) => string): Failure<Data> => ({
  say,
  retryable: false,
  recorded: true,
});

/** Data of a failure that may concern every request to the model. */
export interface ForAll {
  /** Every other request to the model would fail the same way. */
  readonly forAll?: boolean;
}

/** The closing sentence when a reachable endpoint has failed every request of the run. */
export function printForAll({ forAll }: ForAll): string {
  return forAll
    ? ' No request of this run has succeeded. Finished answers are saved; resume once the endpoint works.'
    : '';
}

/** A reason as the end of a sentence: with a full stop unless it ends with a mark. */
export function closeSentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
