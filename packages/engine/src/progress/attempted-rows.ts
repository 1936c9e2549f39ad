import type { AttemptCounts, AttemptsByBlock, Plan, PlannedAttempts } from '@data-designer/core';
import { expectedAttempts } from '../attempt-figures.ts';

/** What a run has counted so far. */
interface CountedAttempts {
  /** Of the dataset, open row groups included. */
  readonly attempts: AttemptsByBlock;
  /** Finished and failed cells by column, after those of earlier runs. */
  readonly cells: ReadonlyMap<string, number>;
}

/** Counts the cells of blocks of attempts as rows: a column of a block makes several cells for each row. */
export class AttemptedRows {
  readonly #blocks: readonly PlannedAttempts[];
  readonly #before: AttemptsByBlock;
  /** Rows of earlier runs, whose cells count as one for each. */
  readonly #settled: number;

  /** `before` are the attempts of earlier runs. */
  constructor({ attempts = [] }: Pick<Plan, 'attempts'>, before: AttemptsByBlock, settled: number) {
    this.#blocks = attempts;
    this.#before = before;
    this.#settled = settled;
  }

  /** The cells of the columns in blocks that a row takes. */
  perRow({ attempts, cells }: CountedAttempts): ReadonlyMap<string, number> {
    return new Map(
      this.#blocks.flatMap((block) =>
        block.columns.map((column): [string, number] => {
          const { pending } = this.#since(block, { attempts, cells }, column);
          return [column, perRow(block, attempts[block.name], pending)];
        }),
      ),
    );
  }

  /** The cells by column, those of a block as the rows that they are enough for. */
  rowsOf(counted: CountedAttempts, perRows = this.perRow(counted)): Map<string, number> {
    const rows = new Map(counted.cells);
    for (const block of this.#blocks) {
      for (const column of block.columns) {
        const { ended, pending } = this.#since(block, counted, column);
        if (rows.has(column)) rows.set(column, this.#settled + ended + pending / (perRows.get(column) ?? 1));
      }
    }
    return rows;
  }

  /** The rows of this run whose attempts have ended, and the cells of a column for other rows. */
  #since({ name }: PlannedAttempts, { attempts, cells }: CountedAttempts, column: string) {
    const [now, before] = [attempts[name], this.#before[name]];
    const made = (cells.get(column) ?? 0) - this.#settled;
    const ended = (now?.rows ?? 0) - (before?.rows ?? 0);
    return { ended, pending: Math.max(0, made - ((now?.attempts ?? 0) - (before?.attempts ?? 0))) };
  }
}

function perRow({ keep, max }: PlannedAttempts, counts: AttemptCounts | undefined, pending: number): number {
  const made = (counts?.attempts ?? 0) + pending;
  const accepted = counts?.accepted.reduce((sum, rows) => sum + rows, 0) ?? 0;
  return keep === 'first' && made > 0 ? expectedAttempts(accepted / made, max) : max;
}
