import type { LostRows } from './cell-failure.ts';

/** Counts lost rows by column and reason. */
export class LostRowCount {
  readonly #lost = new Map<string, { -readonly [Key in keyof LostRows]: LostRows[Key] }>();

  /** The counts of several groups added up, the most frequent first. */
  static join(counts: Iterable<LostRows>): LostRows[] {
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
