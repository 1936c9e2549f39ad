/** The calls of the cells of a column: how many cells have made how many, by the number of calls. */
export interface ColumnCalls {
  /** Finished cells; one without a call counts as one with one. */
  readonly ended: readonly number[];
  /** Cells in the making, whose last call has not ended. */
  readonly begun: readonly number[];
  /** Calls of tools, begun or ended. */
  readonly tools: number;
}

/** Cells with more calls count as if they had so many. */
const MOST_CALLS = 500;

/** The counts of a column, and the calls that each unfinished cell has begun, by row. */
interface CountedColumn {
  readonly ended: number[];
  readonly begun: Map<number, number>;
  tools: number;
}

/** Counts the calls of cells, by column; those of attempts are not counted. */
export class CellCalls {
  readonly #columns: ReadonlyMap<string, CountedColumn>;

  constructor(columns: Iterable<string>) {
    this.#columns = new Map(
      Array.from(columns, (name) => [name, { ended: [], begun: new Map<number, number>(), tools: 0 }]),
    );
  }

  /** A cell begins a call. */
  begin(column: string, row: number, to?: 'tool'): void {
    const counted = this.#columns.get(column);
    if (!counted) return;
    counted.begun.set(row, (counted.begun.get(row) ?? 0) + 1);
    if (to === 'tool') counted.tools++;
  }

  /** A cell is finished, or has failed. */
  end(column: string, row: number): void {
    const counted = this.#columns.get(column);
    if (!counted) return;
    count(counted.ended, counted.begun.get(row) ?? 1);
    counted.begun.delete(row);
  }

  counts(): Readonly<Record<string, ColumnCalls>> {
    const counts = Array.from(this.#columns, ([name, { ended, begun, tools }]): [string, ColumnCalls] => {
      const open: number[] = [];
      for (const calls of begun.values()) count(open, calls);
      return [name, { ended: [...ended], begun: open, tools }];
    });
    return Object.fromEntries(counts);
  }
}

/** Counts a cell; the list has no gaps, so that it is plain data. */
function count(cells: number[], calls: number): void {
  const at = Math.min(calls, MOST_CALLS);
  while (cells.length <= at) cells.push(0);
  cells[at] = (cells[at] ?? 0) + 1;
}
