import { DataDesignerError, type FailureCode, type RowGroup, stopFailure } from '@data-designer/core';
import type { PartialGroups } from '@data-designer/dataset';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import { ErrorRate, type ErrorRateLimit } from './error-rate.ts';

/** How long the answers under way may take to come in once a run is to end. */
export const GRACE_MS = 30_000;

/** What ends a run before all its rows are made, beside its budget. */
export interface EndSettings {
  /** Null where it may take any time. */
  readonly maxDurationSeconds: number | null;
  /** Null where any share of cells may fail. */
  readonly errorRate: ErrorRateLimit | null;
}

/** Why a run ended before all its rows were made. */
export interface RunEnd {
  readonly code: FailureCode;
  readonly message: string;
}

/** A failure as it is told in events and results. */
export function endOf(failure: DataDesignerError): RunEnd;
export function endOf(failure: DataDesignerError | undefined): RunEnd | null;
export function endOf(failure: DataDesignerError | undefined): RunEnd | null {
  return failure ? { code: failure.code, message: failure.message } : null;
}

/** What else may end a run, and what is done then. */
interface EndParts {
  /** Resolves with why nothing more may be asked. */
  readonly spent: Promise<DataDesignerError>;
  /** Aborted when somebody wants the run to end. */
  readonly drain: AbortSignal;
  /** Called once, when the run is to end; must not throw. */
  readonly onEnd: (reason: DataDesignerError) => void;
}

/** The end of a run before all its rows are made: watches for a reason, and the first one counts. Time counts from the start. */
export class RunEnding implements Disposable {
  readonly #errors: ErrorRate | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #disposed = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  #reason: (() => DataDesignerError) | undefined;
  #failure: DataDesignerError | undefined;
  /** Why a group was left unfinished while the others go on. */
  #left: DataDesignerError | undefined;
  /** The groups that are begun and have not ended. */
  readonly #groups = new Set<number>();
  #open = 0;

  constructor({ maxDurationSeconds, errorRate }: EndSettings, left: PartialGroups = new Map()) {
    this.#errors = errorRate ? new ErrorRate(errorRate, left) : undefined;
    if (maxDurationSeconds === null) return;
    const isOver = () => new DataDesignerError('run/time-spent', { maxDurationSeconds });
    this.#timer = setTimeout(() => this.#end(isOver), maxDurationSeconds * 1000);
  }

  /** Why rows are missing; undefined where none are, or none are because the run was to end. */
  get reason(): DataDesignerError | undefined {
    return this.#open > 0 ? (this.#reason?.() ?? this.#left) : undefined;
  }

  /** What every row would have met, or what a group was left for, where that is why rows are missing: the run has failed. */
  get failure(): DataDesignerError | undefined {
    return this.reason && (this.#failure ?? (this.#reason ? undefined : this.#left));
  }

  /** Sees to the end of a run whose rows are about to be made. */
  watch({ spent, drain, onEnd }: EndParts): void {
    void this.#begun.promise.then(() => this.#reason && onEnd(this.#reason()));
    void spent.then((reason) => this.#end(() => reason));
    const stop = (): void => this.#end(() => stopFailure(drain));
    if (drain.aborted) stop();
    else drain.addEventListener('abort', stop, { once: true, signal: this.#disposed.signal });
  }

  /** What is to be told how far row groups have come, in place of one who is told so, too. */
  tapped(tell: (groups: readonly GroupProgress[]) => void): (groups: readonly GroupProgress[]) => void {
    return (groups) => {
      // Before a run its groups may be looked at in their journals alone.
      for (const group of groups) if (this.#groups.has(group.group)) this.#look(group);
      tell(groups);
    };
  }

  /** The groups, as long as the run goes on. */
  *before<Group extends RowGroup>(groups: Iterable<Group>): Generator<Group> {
    for (const group of groups) {
      this.#open++;
      if (this.#reason) return;
      this.#groups.add(group.index);
      yield group;
    }
  }

  /** Counts in the results as they come, and gives them on. */
  async *follow(results: AsyncIterable<RowGroupResult>): AsyncGenerator<RowGroupResult> {
    for await (const result of results) {
      if (result.unfinished === 0) this.#open--;
      if (result.abandoned) this.#left ??= DataDesignerError.fromWire(result.abandoned);
      this.#look(result);
      this.#groups.delete(result.group);
      this.#errors?.forget(result.group);
      yield result;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#disposed.abort();
  }

  #look(group: Parameters<ErrorRate['take']>[0] & Pick<GroupProgress, 'fatal'>): void {
    if (group.fatal && !this.#reason) {
      const failure = DataDesignerError.fromWire(group.fatal);
      this.#failure = failure;
      this.#end(() => failure);
    }
    const errors = this.#errors;
    if (errors?.take(group)) this.#end(() => errors.failure());
  }

  /** The words are made when they are told: the cause of many failures is known once their group has ended. */
  #end(reason: () => DataDesignerError): void {
    this.#reason ??= reason;
    this.#begun.resolve();
  }
}
