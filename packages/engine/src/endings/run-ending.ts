import { DataDesignerError, type FailureCode, type RowGroup, stopFailure } from '@data-designer/core';
import type { PartialGroups } from '@data-designer/dataset';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import { ErrorRate, type ErrorRateLimit } from './error-rate.ts';

/** How long pending answers may take once the run is to end. */
export const GRACE_MS = 30_000;
/** The same on a machine that must leave: a scheduler ends it soon after it has asked. */
export const LEAVE_GRACE_MS = 7_000;

/** The limits, beside the budget, that end a run before all its rows are made. */
export interface EndSettings {
  /** Null for no limit. */
  readonly maxDurationSeconds: number | null;
  /** Seconds of the time limit that are over when the run begins, such as those of earlier stages of a workflow; default 0. */
  readonly spentSeconds?: number;
  /** Null where any share of cells may fail. */
  readonly errorRate: ErrorRateLimit | null;
}

/** Why a run ended before all its rows were made. */
export interface RunEnd {
  /** The error code of the reason. */
  readonly code: FailureCode;
  /** The reason, in one sentence. */
  readonly message: string;
}

/** A failure as events and results show it. */
export function endOf(failure: DataDesignerError): RunEnd;
export function endOf(failure: DataDesignerError | undefined): RunEnd | null;
export function endOf(failure: DataDesignerError | undefined): RunEnd | null {
  return failure ? { code: failure.code, message: failure.message } : null;
}

/** Further reasons to end a run, and what to do then. */
interface EndParts {
  /** Resolves with the reason why no further request may be sent. */
  readonly spent: Promise<DataDesignerError>;
  /** Aborted when the user wants the run to end. */
  readonly drain: AbortSignal;
  /** Called once with the first reason; must not throw. */
  readonly onEnd: (reason: DataDesignerError, graceMs: number) => void;
}

/** Ends a run before all its rows are made: watches for a reason, and the first one counts. Time counts from construction. */
export class RunEnding implements Disposable {
  readonly #errors: ErrorRate | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #disposed = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  #graceMs = GRACE_MS;
  #reason: (() => DataDesignerError) | undefined;
  #failure: DataDesignerError | undefined;
  /** Why a group was abandoned while the others continue. */
  #abandoned: DataDesignerError | undefined;
  /** The groups that have begun and not ended. */
  readonly #groups = new Set<number>();
  #open = 0;

  constructor({ maxDurationSeconds, spentSeconds = 0, errorRate }: EndSettings, left: PartialGroups = new Map()) {
    this.#errors = errorRate ? new ErrorRate(errorRate, left) : undefined;
    if (maxDurationSeconds === null) return;
    const isOver = () => new DataDesignerError('run/time-spent', { maxDurationSeconds });
    this.#timer = setTimeout(() => this.#end(isOver), (maxDurationSeconds - spentSeconds) * 1000);
  }

  /** Why rows are missing; undefined where none are. */
  get reason(): DataDesignerError | undefined {
    return this.#open > 0 ? (this.#reason?.() ?? this.#abandoned) : undefined;
  }

  /** The reason where it is a failure that every row would meet, or that abandoned a group: the run has failed. */
  get failure(): DataDesignerError | undefined {
    return this.reason && (this.#failure ?? (this.#reason ? undefined : this.#abandoned));
  }

  /** Resolves with the first reason to end the run; never rejects. */
  get begun(): Promise<DataDesignerError> {
    return this.#begun.promise.then(
      () => this.#reason?.() ?? new DataDesignerError('run/aborted', { reason: 'unknown' }),
    );
  }

  /** Ends the run for this reason, unless there is an earlier one; pending answers may take so long. */
  end(reason: DataDesignerError, { graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): void {
    if (!this.#reason) this.#graceMs = graceMs;
    this.#end(() => reason);
  }

  /** Watches a run whose groups are about to begin. */
  watch({ spent, drain, onEnd }: EndParts): void {
    void this.#begun.promise.then(() => this.#reason && onEnd(this.#reason(), this.#graceMs));
    void spent.then((reason) => this.#end(() => reason));
    const stop = (): void => this.#end(() => stopFailure(drain));
    if (drain.aborted) stop();
    else drain.addEventListener('abort', stop, { once: true, signal: this.#disposed.signal });
  }

  /** A progress listener that watches for the end of the run, then calls another listener. */
  observing(listener: (groups: readonly GroupProgress[]) => void): (groups: readonly GroupProgress[]) => void {
    return (groups) => {
      // A dry replay reports progress of groups that the run has not begun.
      for (const group of groups) if (this.#groups.has(group.group)) this.#check(group);
      listener(groups);
    };
  }

  /** The groups, until there is a reason to end the run. */
  *untilReason<Group extends RowGroup>(groups: Iterable<Group>): Generator<Group> {
    for (const group of groups) {
      this.#open++;
      if (this.#reason) return;
      this.#groups.add(group.index);
      yield group;
    }
  }

  /** Counts results and passes them on. */
  async *follow(results: AsyncIterable<RowGroupResult>): AsyncGenerator<RowGroupResult> {
    for await (const result of results) {
      if (result.unfinished === 0) this.#open--;
      if (result.abandoned) this.#abandoned ??= DataDesignerError.fromWire(result.abandoned);
      this.#check(result);
      this.#groups.delete(result.group);
      this.#errors?.forget(result.group);
      yield result;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#disposed.abort();
  }

  #check(group: Parameters<ErrorRate['take']>[0] & Pick<GroupProgress, 'fatal'>): void {
    if (group.fatal && !this.#reason) {
      const failure = DataDesignerError.fromWire(group.fatal);
      this.#failure = failure;
      this.#end(() => failure);
    }
    const errors = this.#errors;
    if (errors?.take(group)) this.#end(() => errors.failure());
  }

  /** The reason is built when it is read: the cause of many failures is known once their group has ended. */
  #end(reason: () => DataDesignerError): void {
    this.#reason ??= reason;
    this.#begun.resolve();
  }
}
