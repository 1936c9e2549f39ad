import type { CellCounts, CellFailure, LostRows, WireFailure } from '@data-designer/core';
import type { ToolCounts } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';
import type { SummedFile } from '@data-designer/dataset';

/** What became of a row group: plain data, so that it crosses threads and machines. */
export interface RowGroupResult {
  readonly group: number;
  /** Rows that were made. */
  readonly rows: number;
  readonly lost: readonly LostRows[];
  /** Rows that the end of the run has left as they were: a later run makes them. */
  readonly unfinished: number;
  /** The failure that every row would meet, and that is to end the run; rows that it left are unfinished. */
  readonly ends?: WireFailure | undefined;
  /** Why the group was left unfinished while the others go on; the run fails with it at its end. */
  readonly left?: WireFailure | undefined;
  /** What became of the cells that were made row by row, by column. */
  readonly cells: Readonly<Record<string, CellCounts>>;
  /** The cells that could not be made, whatever became of their rows. */
  readonly failures: readonly CellFailure[];
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly tools: Readonly<Record<string, ToolCounts>>;
  /** Pictures that were written and that none of its rows shows, by their paths in the dataset's folder. */
  readonly orphans: readonly string[];
  /**
   * Where the rows stand, and the tables beside them in their order: files that wait for their commit, or Arrow stream
   * bytes; undefined where the group was given up.
   */
  readonly output:
    | { readonly file: SummedFile; readonly beside?: readonly SummedFile[] }
    | { readonly bytes: Uint8Array; readonly beside?: readonly Uint8Array[] }
    | undefined;
}

/** What a worker gives back: a failure keeps its code this way, which a thrown error would not. */
export type WorkerAnswer = { readonly result: RowGroupResult } | { readonly failure: WireFailure };

/** Counts lost rows by column and reason. */
export class LostRowCount {
  readonly #lost = new Map<string, { -readonly [Key in keyof LostRows]: LostRows[Key] }>();

  /** Counts of several groups as one, the most frequent first. */
  static join(counts: readonly LostRows[]): LostRows[] {
    const all = new LostRowCount();
    for (const count of counts) all.add(count);
    return all.list();
  }

  add({ column, code, message, rows }: LostRows): void {
    const key = `${code} ${column}`;
    const known = this.#lost.get(key);
    if (known) known.rows += rows;
    else this.#lost.set(key, { column, code, message, rows });
  }

  /** The most frequent first. */
  list(): LostRows[] {
    return [...this.#lost.values()].toSorted((a, b) => b.rows - a.rows);
  }
}
