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

/** Data of a failure that may end a run. */
export interface EndsRun {
  /** The run is a preview, which saves nothing. */
  readonly isPreview?: boolean;
}

/** What to do after a run that saves its answers, and after a preview. */
export function afterEnd({ isPreview }: EndsRun, toDo: { readonly saved: string; readonly preview: string }): string {
  return isPreview ? toDo.preview : toDo.saved;
}

/** To correct a part of the config or of the program. */
export function toCorrect(what: string, end: EndsRun): string {
  const saved = `Finished answers are saved; correct the ${what} and resume.`;
  return afterEnd(end, { saved, preview: `Correct the ${what}.` });
}

/** Data of a failure that may concern every request to the model. */
export interface ForAll extends EndsRun {
  /** Every other request to the model would fail the same way. */
  readonly forAll?: boolean;
  /** For how long an endpoint that has answered before has answered no request. */
  readonly downSeconds?: number;
  /** Until when the endpoint asked not to be called, as an ISO date with time. */
  readonly askedUntil?: string;
}

/** Until when an endpoint asked not to be called. */
export function printAsked({ askedUntil }: ForAll): string {
  return askedUntil === undefined ? '' : ` It asked to wait until ${askedUntil}.`;
}

/** The closing sentences when a reachable endpoint fails every request. */
export function printForAll({ forAll, downSeconds, ...end }: ForAll): string {
  if (!forAll) return '';
  const since =
    downSeconds === undefined
      ? 'No request of this run has succeeded'
      : `It has answered no request for ${downSeconds} seconds`;
  const saved = 'Resume once the endpoint works.';
  return ` ${since}. ${afterEnd(end, { saved, preview: 'Preview again once the endpoint works.' })}`;
}

/** A reason as the end of a sentence: with a full stop unless it ends with a mark. */
export function closeSentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
