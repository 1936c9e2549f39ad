import {
  type CellValue,
  type ColumnData,
  type PlannedColumn,
  printable,
  type WrittenValues,
} from '@data-designer/core';
import { valuesAt } from './column-values.ts';
import type { FilledGroup } from './fill-columns.ts';
import type { PreparedPlan } from './prepare-plan.ts';

/** A row as it fills: cells by column name. */
export type OpenRow = Record<string, CellValue>;

/** The columns of a row group as rows see them: opens rows over the filled columns and stores the cells that rows made. */
export class RowColumns {
  readonly #columns: Map<string, ColumnData>;
  readonly #total: number;
  readonly #filled: readonly { readonly name: string; readonly values: ColumnData; readonly isFloat: boolean }[];
  readonly #filledNames: readonly string[];
  /** Made cells by column, at the positions of their rows. */
  readonly #made: ReadonlyMap<string, CellValue[]>;

  constructor({ plan, local, rowColumns, floats }: PreparedPlan, { columns, positions }: FilledGroup) {
    this.#columns = columns;
    this.#total = positions.length;
    this.#filled = [...columns].map(([name, values]) => ({ name, values, isFloat: floats.has(name) }));
    this.#filledNames = namesOf(local);
    const empty = () => Array.from<CellValue>({ length: this.#total }).fill(null);
    const ofBlocks = (plan.attempts ?? []).flatMap(({ writes }) => writes.map(({ name }) => name));
    this.#made = new Map([...namesOf(rowColumns), ...ofBlocks].map((name) => [name, empty()]));
  }

  /** A new row with the filled cells at a position. */
  rowAt(position: number): OpenRow {
    const row: OpenRow = {};
    for (const { name, values, isFloat } of this.#filled) row[name] = printable(values[position] ?? null, isFloat);
    return row;
  }

  /** Stores the cells of a finished row. */
  store(position: number, row: OpenRow): void {
    for (const [name, cells] of this.#made) cells[position] = row[name] ?? null;
  }

  /** A copy of all columns, with the rows at these positions only. */
  copyAt(positions: readonly number[]): ReadonlyMap<string, ColumnData> {
    return new Map([...this.#columns, ...this.#made].map(([name, values]) => [name, valuesAt(values, positions)]));
  }

  /** All columns, with the rows at these positions only. */
  columnsAt(positions: readonly number[]): ReadonlyMap<string, ColumnData> {
    const isComplete = positions.length === this.#total;
    for (const [name, cells] of this.#made) {
      this.#columns.set(name, isComplete ? cells : valuesAt(cells, positions));
    }
    if (isComplete) return this.#columns;
    for (const name of this.#filledNames) {
      this.#columns.set(name, valuesAt(this.#columns.get(name) ?? [], positions));
    }
    return this.#columns;
  }
}

function namesOf(columns: readonly { readonly column: PlannedColumn }[]): readonly string[] {
  return columns.flatMap(({ column }) => column.writes.map(({ name }) => name));
}

/** Writes the cells of one column into a row. */
export function writeCells(
  row: OpenRow,
  { writes }: PlannedColumn,
  { written, floats }: { readonly written: WrittenValues; readonly floats: ReadonlySet<string> },
): void {
  writes.forEach(({ name }, index) => void (row[name] = printable(written[index] ?? null, floats.has(name))));
}
