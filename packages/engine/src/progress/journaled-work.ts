import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RatedCounts } from './run-rates.ts';

/** The part of a row group that its journal makes without a request. */
export type JournaledGroup = Pick<RowGroupResult, 'group' | 'rows' | 'cells' | 'usage'>;

/** What a resumed run has not replayed yet. */
interface Ahead extends Pick<RatedCounts, 'rows' | 'usage'> {
  /** Cells by column. */
  readonly cells: ReadonlyMap<string, number>;
}

/** The journaled part of open row groups. It replays at once and would inflate the rates, so rates count it from the start. */
export class JournaledWork {
  readonly #groups = new Map<number, JournaledGroup>();

  add({ group, rows, cells, usage }: JournaledGroup): void {
    this.#groups.set(group, { group, rows, cells, usage });
  }

  /** Removes a committed group. */
  delete(group: number): void {
    this.#groups.delete(group);
  }

  /** The journaled part that groups have not reported yet; `usage` includes what they reported. */
  ahead(told: ReadonlyMap<number, GroupProgress | undefined>, usage: RatedCounts['usage']): Ahead {
    let rows = 0;
    const cells = new Map<string, number>();
    const tokens = new Map(Object.entries(usage));
    for (const [group, made] of this.#groups) {
      const now = told.get(group);
      rows += missing(made.rows, now?.rows);
      for (const [column, counts] of Object.entries(made.cells)) {
        const more = missing(counts.made, now?.cells[column]?.made);
        cells.set(column, (cells.get(column) ?? 0) + more);
      }
      for (const [alias, used] of Object.entries(made.usage)) {
        const before = tokens.get(alias) ?? { inputTokens: 0, outputTokens: 0 };
        const input = missing(used.inputTokens, now?.usage[alias]?.inputTokens);
        const output = missing(used.outputTokens, now?.usage[alias]?.outputTokens);
        tokens.set(alias, { inputTokens: before.inputTokens + input, outputTokens: before.outputTokens + output });
      }
    }
    return { rows, cells, usage: Object.fromEntries(tokens) };
  }
}

function missing(made: number, told = 0): number {
  return Math.max(0, made - told);
}
