import type { ColumnData } from '@data-designer/core';
import type { RowEnd } from './awaited-group.ts';
import type { ResumedGroup, RowGroupContext } from './group-context.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import { processRows } from './process-rows.ts';

/** Ten times a second at most: a message costs more than a row. */
const SEND_EVERY_MS = 100;

/** Whether a plan's rows are the same before and after the end of their group. */
function isRowByRow({ rowColumns, plan }: PreparedPlan): boolean {
  const hasProcess = plan.processors.some(({ stage, process }) => stage === 'post_batch' && process !== null);
  return !hasProcess && plan.layout !== 'python' && rowColumns.every(({ make }) => 'cell' in make);
}

/** The rows of a group as they are finished. */
export interface OpenRows {
  readonly columnsAt: (positions: readonly number[]) => ReadonlyMap<string, ColumnData>;
  readonly rowIndexes: Float64Array;
}

/** Sends the finished rows of a group until it is disposed; undefined where nobody can read them before the group ends. */
export function sendFinishedRows(
  prepared: PreparedPlan,
  { columnsAt, rowIndexes }: OpenRows,
  { group, context }: { readonly group: ResumedGroup; readonly context: RowGroupContext },
): FinishedPrefix | undefined {
  const { readers } = context;
  if (!readers || group.again || !isRowByRow(prepared)) return undefined;
  const { awaited, send } = readers;
  const isNext = (): boolean => Atomics.load(awaited, 0) === group.index;
  return new FinishedPrefix(isNext, async (positions) => {
    const rowIndexOf = (at: number): number => rowIndexes[positions[at] ?? -1] ?? -1;
    const rows = { columns: columnsAt(positions), rows: positions.length, rowIndexOf, floats: prepared.floats };
    const { main, refused } = await processRows(prepared, rows, context);
    const { streamBytes } = await import('@data-designer/dataset/write');
    const isRefused = new Set(refused.map(({ rowIndex }) => rowIndex));
    const indexes = positions.map((_, at) => rowIndexOf(at)).filter((index) => !isRefused.has(index));
    send({ group: group.index, indexes, bytes: await streamBytes(main) });
  });
}

/** The finished rows before the first open one. */
export class FinishedPrefix implements Disposable {
  readonly #isNext: () => boolean;
  readonly #send: (positions: readonly number[]) => Promise<void>;
  readonly #ends: (RowEnd | undefined)[] = [];
  readonly #timer: NodeJS.Timeout;
  #next = 0;
  #isSending = false;

  /** `isNext` says whether a reader waits for these rows. */
  constructor(isNext: () => boolean, send: (positions: readonly number[]) => Promise<void>) {
    this.#isNext = isNext;
    this.#send = send;
    this.#timer = setInterval(() => void this.#sendNext(), SEND_EVERY_MS).unref();
  }

  /** Notes how the row at a position ended. */
  settle(position: number, end: RowEnd): void {
    this.#ends[position] = end;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #sendNext(): Promise<void> {
    if (this.#isSending || !this.#isNext()) return;
    const positions: number[] = [];
    for (; ; this.#next++) {
      const end = this.#ends[this.#next];
      // The group may end with the rows after an unfinished one, and a later run makes that one.
      if (end === undefined || end === 'unfinished') break;
      if (end === 'made') positions.push(this.#next);
    }
    if (positions.length === 0) return;
    this.#isSending = true;
    try {
      await this.#send(positions);
      this.#isSending = false;
    } catch {
      // The end of the group meets the same failure, and reports it.
      this[Symbol.dispose]();
    }
  }
}
