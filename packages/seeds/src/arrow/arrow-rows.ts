import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DataType, Table } from 'apache-arrow';
import type { ArrowTableLike } from '@data-designer/config';
import { type ArrowField, stringifyJson } from '@data-designer/core';
import { storedFields } from '../tables/stored-fields.ts';
import type { RowSource } from '../tables/table-source.ts';
import { TableWriter } from '../tables/table-writer.ts';
import { arrowInput, type ArrowInput, isWide } from './arrow-input.ts';
import type { NoData } from './arrow-of-rows.ts';
import { MEMORY_NAME, spoolTable } from '../rows/memory-rows.ts';
import { storedValue } from '../tables/stored-value.ts';

/** Rows are read in groups of this many. */
const GROUP_ROWS = 10_240;
const MAX_INT64 = 2n ** 63n - 1n;

/** The columns of an Arrow table, and its rows; or the first column whose values are no data. */
export function arrowTableRows(
  given: ArrowTableLike,
): { readonly fields: readonly ArrowField[]; readonly rows: RowSource } | NoData {
  // The table may be of another copy of the library: nothing here asks for its classes.
  const table = given as Table;
  const inputs: ArrowInput[] = [];
  for (const [index, { name, type }] of table.schema.fields.entries()) {
    const input = inputOf(table, index);
    if (!input) return { row: 0, column: name, what: `values of the Arrow type ${String(type)}` };
    inputs.push(input);
  }
  const fields = inputs.map(({ field }) => field);
  return {
    fields,
    rows: {
      name: MEMORY_NAME,
      files: [],
      hash: () => Promise.resolve(hashOf(table, inputs)),
      open: ({ scratch }) => {
        const path = join(scratch, 'rows.parquet');
        writeTable(path, table, inputs);
        return Promise.resolve(spoolTable(path, fields));
      },
    },
  };
}

/** A column of integers beyond 64 bits is one of text if one of them is. */
function inputOf(table: Table, index: number): ArrowInput | undefined {
  const { name, type } = table.schema.fields[index] as { readonly name: string; readonly type: DataType };
  const input = arrowInput(name, type);
  if (!input || !isWide(type)) return input;
  for (const [group] of groupsOf(table, [{ input, index }])) {
    if (group?.some(holdsWide)) return arrowInput(name, type, 'utf8');
  }
  return input;
}

function holdsWide(value: unknown): boolean {
  if (typeof value === 'bigint') return value > MAX_INT64;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsWide);
}

function writeTable(path: string, table: Table, inputs: readonly ArrowInput[]): void {
  const stored = storedFields(inputs.map(({ field }) => field));
  using writer = new TableWriter(path, stored, { isPacked: false });
  const convert = inputs.map(({ field }, index) => storedValue(field, stored[index] as ArrowField));
  for (const group of groupsOf(table, wanted(inputs))) {
    writer.write(group.map((values, index) => values.map(convert[index] as (value: unknown) => unknown)));
  }
  writer.finish();
}

function hashOf(table: Table, inputs: readonly ArrowInput[]): string {
  const hash = createHash('sha256').update(stringifyJson(inputs.map(({ field }) => field)));
  for (const group of groupsOf(table, wanted(inputs))) hash.update(stringifyJson(group));
  return hash.digest('hex');
}

interface WantedColumn {
  readonly input: ArrowInput;
  readonly index: number;
}

function wanted(inputs: readonly ArrowInput[]): WantedColumn[] {
  return inputs.map((input, index) => ({ input, index }));
}

/** The values of columns, a group of rows at a time. */
function* groupsOf(table: Table, columns: readonly WantedColumn[]): Generator<readonly (readonly unknown[])[]> {
  for (const batch of table.batches) {
    for (let first = 0; first < batch.numRows; first += GROUP_ROWS) {
      const rows = Math.min(GROUP_ROWS, batch.numRows - first);
      yield columns.map(({ input, index }) => {
        const column = batch.getChildAt(index);
        return Array.from({ length: rows }, (_, row) => input.read(column?.get(first + row)));
      });
    }
  }
}
