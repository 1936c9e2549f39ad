import {
  type CellFailure,
  type ChatMessage,
  DataDesignerError,
  type Exhaustion,
  type FailureCode,
  hasFailedAlone,
  isFailure,
  isRecorded,
  OPEN_ROWS,
  type PlannedAttempts,
  Shortfall,
  stringifyJson,
  type WireFailure,
  type WrittenValues,
} from '@data-designer/core';
import { conversationOf } from '@data-designer/models';
import { endsRun, keepsRows } from '../functions/failure-scope.ts';
import type { RowEnvironments } from '../environments/row-environments.ts';
import type { MadeAttempt } from './attempts.ts';
import type { RowEnd } from './awaited-group.ts';
import type { AttemptedCells } from './group-progress.ts';
import { startCell } from './make-cell.ts';
import { cellKey, type MakingGroup } from './making-group.ts';
import type { AttemptBlock, RowColumn } from './prepare-plan.ts';
import type { Attempt } from './row-cell.ts';
import { type OpenRow, writeCells } from './row-columns.ts';
import { runDataflow } from './row-dataflow.ts';
import { isSkipped, type SkipRule } from './skip-rules.ts';
import type { TaskStep } from './task-steps.ts';

/** Seeds of requests: all APIs that take one take integers below this. */
const MOST_SEEDS = 2 ** 31;

/** Failures without a journaled answer: an attempt records them too, or a replay could accept another attempt. */
const REFUSED: ReadonlySet<FailureCode> = new Set([
  'model/rejected',
  'model/context-exceeded',
  'model/unprocessable',
  'model/unsupported-parameter',
  'model/text-only',
  'validator/bad-answer',
]);

/** In place of the config of a column whose tool config ends the run at a failure. */
const END = { onFailure: 'abort' } as const;

/** A longer conversation is cut to its last messages in the failure log. */
const MAX_LOGGED_CHARACTERS = 100_000;

/** Makes the cells of one row. Throws a failure that ends the run. */
export async function makeRow(group: MakingGroup, row: OpenRow, rowIndex: number): Promise<RowEnd> {
  const { prepared, counter, lost, barriers, context } = group;
  const usesGateway = prepared.plan.resources.length > 0;
  const environments = group.environments?.ofRow(rowIndex);
  const cells = new CellsOfRow(group, { row, rowIndex, environments });
  try {
    // Rows that wait for each other must all be open, so they need no permit for that.
    if (usesGateway && barriers.size === 0) {
      await context.gateway.admit(OPEN_ROWS, { row: rowIndex, column: '', call: 0 });
    }
    const made = runDataflow(prepared.dataflow, (index) => cells.make(index));
    const isComplete = typeof made === 'boolean' ? made : await made;
    if (!isComplete) return leaveUnfinished(group, new DataDesignerError('journal/ends', {}));
    counter.rows++;
    return 'made';
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'run/over') return leaveUnfinished(group, failure);
    if (endsRun(failure)) return endGroup(group, failure);
    // Refused candidates are not made again, and cells at a barrier wait for other rows.
    const finishes = usesGateway && barriers.size === 0 && failure.code !== 'select/refused';
    const worse = finishes ? await cells.finishCalls() : undefined;
    if (worse) return endGroup(group, worse);
    counter.lost++;
    if (hasFailedAlone(failure)) counter.lostAlone++;
    lost.add({ column: cells.failedColumn, code: failure.code, message: failure.message, rows: 1 });
    cells.leaveBarriers();
    return 'lost';
  } finally {
    environments?.close();
    if (usesGateway) releaseRow(group, rowIndex);
  }
}

type AttemptsCode = typeof import('./attempts.ts') & typeof import('./attempt-statistics.ts');

let loaded: AttemptsCode | undefined;

/** Few plans have blocks, and every worker loads this file. */
async function loadAttempts(): Promise<AttemptsCode> {
  const [attempts, statistics] = await Promise.all([import('./attempts.ts'), import('./attempt-statistics.ts')]);
  return (loaded = { ...attempts, ...statistics });
}

/** A row, or one attempt at a block of it on a copy. */
interface RowToMake {
  readonly row: OpenRow;
  readonly rowIndex: number;
  readonly attempt?: Attempt;
  /** Gets the cells of the attempt. */
  readonly attempted?: AttemptedCells;
  /** The block of the attempt. */
  readonly block?: PlannedAttempts;
  readonly skipped?: Set<number>;
  /** The worlds of the row, or of the attempt. */
  readonly environments?: RowEnvironments | undefined;
}

/** The cells of one row while they are made. A promise is made only for a cell that waits. */
class CellsOfRow {
  /** The column whose failure cost the row; empty until then. */
  failedColumn = '';
  readonly #group: MakingGroup;
  readonly #row: OpenRow;
  readonly #rowIndex: number;
  readonly #attempt: Attempt | undefined;
  readonly #environments: RowEnvironments | undefined;
  readonly #block: PlannedAttempts | undefined;
  /** The cells that wait for something; those of an attempt have ended when the next one begins. */
  readonly #running: Promise<unknown>[] = [];
  /** The failed cells: of the group, or of an attempt until it is kept. */
  readonly #failures: CellFailure[];
  readonly #attempted: AttemptedCells | undefined;
  readonly #reached: Set<RowColumn> | undefined;
  #skipped: Set<number> | undefined;

  constructor(group: MakingGroup, { row, rowIndex, attempt, attempted, block, skipped, environments }: RowToMake) {
    this.#group = group;
    this.#row = row;
    this.#rowIndex = rowIndex;
    this.#attempt = attempt;
    this.#attempted = attempted;
    this.#block = block;
    this.#skipped = skipped;
    this.#environments = environments;
    this.#failures = attempt ? [] : group.failures;
    this.#reached = group.barriers.size > 0 ? new Set() : undefined;
  }

  /** Makes a unit of the row; false where the journal of a dry replay holds no answer for it. */
  make(index: number): boolean | Promise<boolean> {
    const unit = this.#group.prepared.units[index];
    if (typeof unit !== 'object') return this.#makeColumn(unit ?? -1);
    const made = this.#makeBlock(unit);
    this.#running.push(made);
    return made;
  }

  /** Makes the attempts of a block, and keeps what it says. */
  async #makeBlock(block: AttemptBlock): Promise<boolean> {
    const { random } = block;
    const { keptOf, makeAttempts, writeKept, AttemptStatistics, exhaustionOf } = loaded ?? (await loadAttempts());
    const made = await makeAttempts(block, (number) => this.#makeAttempt(block, number));
    if (!made) return false;
    const kept = keptOf(block, made, random.at(this.#rowIndex, 0, 1));
    const counted = kept.kept ?? made.at(-1);
    if (counted) this.#group.counter.settle(counted.cells);
    const exhaustion = exhaustionOf(block, made, kept);
    const statistics = (this.#group.attempts ??= new AttemptStatistics());
    statistics.add(block, { rowIndex: this.#rowIndex, made, exhaustion });
    if (exhaustion) this.#addExhausted(block, made.length, exhaustion);
    const standing = writeKept(block, this.#row, { ...kept, floats: this.#group.prepared.floats });
    if (standing) this.#failures.push(...standing.failures);
    this.#environments?.adopt(standing?.environments);
    for (const name of block.planned.columns) this.#environments?.leaveColumn(name);
    for (const at of standing?.skipped ?? []) (this.#skipped ??= new Set()).add(at);
    return true;
  }

  /** One attempt at the cells of a block, on a copy of the row if there may be others. */
  async #makeAttempt(
    { planned, dataflow, members, environments: used, random }: AttemptBlock,
    number: number,
  ): Promise<MadeAttempt | undefined> {
    // The only attempt needs no copy: the row keeps its values, or none of the block.
    const row = planned.max === 1 ? this.#row : { ...this.#row };
    const seed = random.at(this.#rowIndex, number).below(MOST_SEEDS);
    const skipped = new Set(this.#skipped);
    const environments = this.#environments?.fork(used);
    const attempted: AttemptedCells = { made: [], failed: [] };
    const at = { rowIndex: this.#rowIndex, attempt: { number, seed }, block: planned };
    const cells = new CellsOfRow(this.#group, { ...at, row, attempted, skipped, environments });
    const ended = { row, failures: cells.#failures, cells: attempted, skipped, environments };
    try {
      const isComplete = await runDataflow(dataflow, (member) => cells.#makeColumn(members[member] ?? -1));
      return isComplete ? { ...ended, failure: undefined } : undefined;
    } catch (thrown) {
      const failure = DataDesignerError.fromUnknown(thrown);
      // A paid answer counts, whatever becomes of its attempt.
      await Promise.allSettled(cells.#running);
      if ((loaded ?? (await loadAttempts())).endsAttempt(failure)) return { ...ended, failure };
      this.#group.counter.settle(attempted);
      this.#group.failures.push(...cells.#failures);
      this.failedColumn ||= cells.failedColumn;
      throw thrown;
    }
  }

  /** Records a row without an accepted attempt; throws where that costs the row. */
  #addExhausted({ planned: { name, onExhausted } }: AttemptBlock, attempts: number, exhaustion: Exhaustion): void {
    const { verdict: reason } = exhaustion;
    const failure = new DataDesignerError('attempts/exhausted', { block: name, attempts, reason });
    const onFailure = onExhausted === 'drop_row' ? 'drop_row' : 'null';
    this.#failures.push({ ...cellFailureOf(failure, { row: this.#rowIndex, column: name, onFailure }), exhaustion });
    if (onFailure === 'null') return;
    this.failedColumn ||= name;
    throw failure;
  }

  /** Makes the cell of a column, by position. */
  #makeColumn(index: number): boolean | Promise<boolean> {
    const column = this.#group.prepared.rowColumns[index];
    if (!column) return false;
    this.#note('ready_enqueued', column);
    this.#note('selected', column);
    try {
      const written = this.#start(index, column);
      if (Array.isArray(written)) return this.#finish(index, column, written);
      const made = Promise.resolve(written)
        .then((one) => this.#finish(index, column, one))
        .catch((thrown: unknown) => this.#fail(index, column, thrown));
      this.#running.push(made);
      return made;
    } catch (thrown) {
      return this.#fail(index, column, thrown);
    }
  }

  /** The row is lost: rows that wait for it at a barrier stop waiting. */
  leaveBarriers(): void {
    for (const [column, barrier] of this.#group.barriers) if (!this.#reached?.has(column)) barrier.leave();
  }

  /**
   * The row is lost: waits for the calls that are sent already, since their answers are paid for, and sends no more. Returns
   * the failure of a cell that must not fail.
   */
  async finishCalls(): Promise<DataDesignerError | undefined> {
    this.#group.context.gateway.cancel(this.#rowIndex, { finishCalls: true });
    const settled = await Promise.allSettled(this.#running);
    return settled
      .flatMap((one) => (one.status === 'rejected' ? [DataDesignerError.fromUnknown(one.reason)] : []))
      .find(({ code }) => code === 'run/cell-failed');
  }

  #start(index: number, column: RowColumn): WrittenValues | Promise<WrittenValues> {
    const { skip } = column;
    const skipped = skip && this.#isSkipped(skip, column);
    this.#reached?.add(column);
    const at = {
      row: this.#row,
      rowIndex: this.#rowIndex,
      attempt: this.#attempt,
      environments: this.#environments,
    };
    if (!skipped) return startCell(this.#group, column, at);
    this.#skipped?.add(index);
    this.#group.barriers.get(column)?.leave();
    return skip.written;
  }

  #isSkipped(rule: SkipRule, { column }: RowColumn): boolean {
    return isSkipped(rule, {
      row: this.#row,
      skipped: (this.#skipped ??= new Set()),
      // The Python tool skips such a cell too, and warns.
      onFault: (reason) => {
        const failure = new DataDesignerError('column/undecided-skip', { reason });
        const at = { row: this.#rowIndex, column: this.#shownName(column.name), onFailure: 'null' } as const;
        this.#failures.push(cellFailureOf(failure, at));
      },
    });
  }

  /** Notes a step of the cell of a column if somebody listens. */
  #note(kind: TaskStep['kind'], { column }: RowColumn, error?: string): void {
    const { steps } = this.#group.context;
    steps?.note(kind, { column: column.name, row: this.#rowIndex }, error === undefined ? {} : { error });
  }

  #finish(index: number, made: RowColumn, written: WrittenValues): true {
    const { column } = made;
    const { floats, plan } = this.#group.prepared;
    if (this.#block) refuseUndecided(this.#block, column.name, written);
    writeCells(this.#row, column, { written, floats });
    this.#note('task_completed', made);
    if (!this.#attempt) this.#environments?.leaveColumn(column.name);
    this.#group.counter.addMade(index, this.#attempted);
    this.#group.services.calls?.end(column.name, this.#rowIndex);
    // The cells that would come next are not worth their cost.
    if (column.name === plan.gate && written[0] !== true) throw new DataDesignerError('select/refused', {});
    return true;
  }

  /** Records the failure of a cell in the journal where a resume must not make the cell again, then applies it. */
  #fail(index: number, column: RowColumn, thrown: unknown): boolean | Promise<boolean> {
    const { failedCells, context } = this.#group;
    const { number } = this.#attempt ?? {};
    const at = { row: this.#rowIndex, column: column.column.name, ...(number !== undefined && { attempt: number }) };
    const failure = failedCells.has(cellKey(at)) ? undefined : this.#failureToRecord(column, thrown);
    if (!failure) return this.#apply(index, column, thrown);
    return Promise.resolve(context.gateway.failCell?.({ ...at, failure })).then(
      () => this.#apply(index, column, thrown),
      (unrecorded: unknown) => this.#apply(index, column, unrecorded),
    );
  }

  #failureToRecord({ make }: RowColumn, thrown: unknown): WireFailure | undefined {
    const failure = thrown instanceof Shortfall ? thrown.failure : thrown;
    if (!(failure instanceof DataDesignerError) || endsRun(failure)) return undefined;
    const isKept = isRecorded(failure.code) || (this.#attempt !== undefined && REFUSED.has(failure.code));
    if (!isKept) return undefined;
    // A plan without resources has no journal.
    return 'cell' in make && this.#group.prepared.plan.resources.length > 0 ? failure.toWire() : undefined;
  }

  #apply(index: number, column: RowColumn, thrown: unknown): boolean {
    if (isFailure(thrown, 'journal/ends')) return false;
    if (isFailure(thrown, 'select/refused')) throw thrown;
    const failure = DataDesignerError.fromUnknown(thrown instanceof Shortfall ? thrown.failure : thrown);
    this.#note('task_completed', column, failure.code);
    if (this.#continuesAfter(index, column, thrown)) return true;
    if (!endsRun(failure)) this.#note('non_retryable_dropped', column, failure.code);
    this.failedColumn ||= this.#shownName(column.column.name);
    throw thrown instanceof Shortfall ? thrown.failure : thrown;
  }

  /** The name by which a failure is reported: no table has the column that decides an attempt. */
  #shownName(column: string): string {
    return this.#block?.decision === column ? this.#block.name : column;
  }

  /** Applies the column's `on_failure`: true where the row continues with nulls; throws where the run ends. */
  #continuesAfter(index: number, { column }: RowColumn, thrown: unknown): boolean {
    const { counter, prepared, services } = this.#group;
    const failures = this.#failures;
    const shortfall = thrown instanceof Shortfall ? thrown : undefined;
    const failure = shortfall?.failure ?? DataDesignerError.fromUnknown(thrown);
    if (endsRun(failure)) return false;
    counter.addFailed(index, failure, this.#attempted);
    services.calls?.end(column.name, this.#rowIndex);
    // An attempt without a verdict ends: it was neither accepted nor refused.
    const written = column.config.onFailure === undefined && !this.#attempt ? shortfall?.written : undefined;
    const endsRunByTool = isFailure(failure, 'tool/call-failed') && failure.data.endsRun === true;
    const { onFailure = written ? 'null' : 'drop_row' } = endsRunByTool ? END : column.config;
    const failed = cellFailureOf(failure, { row: this.#rowIndex, column: this.#shownName(column.name), onFailure });
    failures.push(failed);
    if (onFailure === 'abort') {
      const { message: reason, ...cell } = failed;
      throw new DataDesignerError('run/cell-failed', { ...cell, reason });
    }
    if (onFailure === 'drop_row') return false;
    if (!this.#attempt) this.#environments?.leaveColumn(column.name);
    const nulls = column.writes.map(() => null);
    writeCells(this.#row, column, { written: written ?? nulls, floats: prepared.floats });
    return true;
  }
}

/** Throws if the condition of a block is neither true nor false. */
function refuseUndecided(
  { name: block, keep, decision }: PlannedAttempts,
  column: string,
  [found = null]: WrittenValues,
): void {
  if (column !== decision || keep !== 'first' || typeof found !== 'string') return;
  if (found !== 'True' && found !== 'False') throw new DataDesignerError('attempts/undecided', { block, found });
}

/** A failure as the failure log stores it. */
function cellFailureOf(failure: DataDesignerError, at: Pick<CellFailure, 'row' | 'column' | 'onFailure'>): CellFailure {
  const { code, message } = failure;
  return { ...at, code, message, messages: lastMessages(conversationOf(failure) ?? []) };
}

function lastMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let left = MAX_LOGGED_CHARACTERS;
  const logged = messages.toReversed().filter((message) => (left -= stringifyJson(message).length) > 0);
  return logged.toReversed();
}

/** Leaves a row unfinished at the end of a run or of the journal, together with the rows that wait for it. */
function leaveUnfinished({ counter, barriers }: MakingGroup, failure: DataDesignerError): 'unfinished' {
  counter.unfinished++;
  for (const barrier of barriers.values()) barrier.abandon(failure);
  return 'unfinished';
}

/** Ends the group with a failure that every row would meet; throws it where finished rows cannot be kept either. */
function endGroup(group: MakingGroup, failure: DataDesignerError): 'unfinished' {
  if (!keepsRows(failure)) throw failure;
  if (!group.fatal) {
    group.fatal = failure;
    group.onFatal?.();
  }
  return leaveUnfinished(group, new DataDesignerError('run/over', { reason: failure.message }));
}

/** Releases the permits of a row; a row at a barrier only after the work for all rows there, which must not fail by it. */
function releaseRow({ context: { gateway }, barriers }: MakingGroup, rowIndex: number): void {
  const pending = [...barriers.values()].flatMap((barrier) => barrier.overFor(rowIndex) ?? []);
  if (pending.length === 0) return gateway.cancel(rowIndex);
  void Promise.all(pending).then(() => gateway.cancel(rowIndex));
}
