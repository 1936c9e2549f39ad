import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Data, DataType, type Field, Int64, type Table, type Vector } from 'apache-arrow';
import type { ArrowTableLike } from '@data-designer/config';
import { type ArrowField, cellField, stringifyJson } from '@data-designer/core';
import type { RowSource } from '../tables/table-source.ts';
import { GROUP_ROWS, TableWriter } from '../tables/table-writer.ts';
import {
  arrowInput,
  type ArrowInput,
  type ColumnForms,
  holdsBytes,
  holdsTimestamps,
  isWide,
  mayNeedMore,
  textOfBytes,
} from '../arrow/arrow-input.ts';
import type { UnstorableValue } from '../arrow/arrow-of-rows.ts';
import { base64Text } from '../arrow/bytes-as-text.ts';
import { MEMORY_NAME, spoolTable } from './memory-rows.ts';
import { storedColumns } from '../tables/stored-columns.ts';

const MAX_INT64 = 2n ** 63n - 1n;

/** The columns and rows of an Arrow table. */
export interface ArrowTableRows {
  readonly fields: readonly ArrowField[];
  readonly rows: RowSource;
  /** The columns whose bytes are text in some rows and not in others: Base64 in all of them. */
  readonly mixed: readonly string[];
}

/** The columns and rows of an Arrow table, or the first column that cannot be stored. */
export function arrowTableRows(given: ArrowTableLike): ArrowTableRows | UnstorableValue {
  // The table may come from another copy of the library: never use `instanceof` with it.
  const table = given as Table;
  const inputs: ArrowInput[] = [];
  const mixed: string[] = [];
  for (const [index, field] of table.schema.fields.entries()) {
    const input = inputOf(table, field, { index, mixed });
    if (!input) return { row: 0, column: field.name, what: `values of the Arrow type ${String(field.type)}` };
    inputs.push(input);
  }
  const fields = inputs.map(({ field }) => field);
  return {
    fields,
    mixed,
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

/** Stores unsigned 64-bit integers as text if one of them exceeds int64, and bytes as Base64 if some are no text. */
function inputOf(
  table: Table,
  column: Field,
  { index, mixed }: { readonly index: number; readonly mixed: string[] },
): ArrowInput | undefined {
  if (!isWide(column.type) && !holdsBytes(column.type) && !mayNeedMore(column.type)) return arrowInput(column);
  let wide: ColumnForms['wide'] = 'int64';
  let bytesText = textOrNothing;
  let hasText = false;
  const noted = (bytes: Uint8Array): string => {
    const text = textOfBytes(bytes);
    if (text === undefined) bytesText = base64Text;
    hasText ||= Boolean(text);
    return text ?? '';
  };
  const needs = new Set<Parameters<NonNullable<ColumnForms['note']>>[0]>();
  const input = arrowInput(column, { wide, bytesText: noted, note: (need) => needs.add(need) });
  if (!input) return undefined;
  for (const [group] of groupsOf(table, [{ input, index }])) if (group?.some(holdsWide)) wide = 'utf8';
  if (hasText && bytesText === base64Text) mixed.push(column.name);
  return arrowInput(column, { wide, bytesText, needs });
}

function textOrNothing(bytes: Uint8Array): string {
  return textOfBytes(bytes) ?? '';
}

function holdsWide(value: unknown): boolean {
  if (typeof value === 'bigint') return value > MAX_INT64;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsWide);
}

function writeTable(path: string, table: Table, inputs: readonly ArrowInput[]): void {
  const columns = storedColumns(inputs.map(({ field }) => field));
  const storedAs = columns.map(({ stored }) => stored);
  using writer = new TableWriter(path, storedAs, { isPacked: false });
  for (const group of groupsOf(table, wanted(inputs))) {
    writer.write(columns.map(({ convert }, index) => (group[index] ?? []).map(convert)));
  }
  writer.finish();
}

function hashOf(table: Table, inputs: readonly ArrowInput[]): string {
  const hash = createHash('sha256').update(stringifyJson(inputs.map(({ field }) => cellField(field))));
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

/** The values of columns, one group of rows at a time. */
function* groupsOf(table: Table, columns: readonly WantedColumn[]): Generator<readonly (readonly unknown[])[]> {
  for (const batch of table.batches) {
    for (let first = 0; first < batch.numRows; first += GROUP_ROWS) {
      const rows = Math.min(GROUP_ROWS, batch.numRows - first);
      yield columns.map(({ input, index }) => {
        const column = withExactTimestamps(batch.getChildAt(index));
        return Array.from({ length: rows }, (_, row) => input.read(column?.get(first + row)));
      });
    }
  }
}

/** A column whose timestamps are integers in their units: the library gives them as floats, which round some. */
function withExactTimestamps(column: Vector | null): Vector | null {
  if (!column || !holdsTimestamps(column.type as DataType)) return column;
  // The column may come from another copy of the library.
  const OwnVector = column.constructor as new (data: readonly Data[]) => Vector;
  return new OwnVector(column.data.map(exactTimestamps));
}

function exactTimestamps(data: Data): Data {
  if (DataType.isTimestamp(data.type)) return data.clone(new Int64());
  if (!holdsTimestamps(data.type)) return data;
  return data.clone(data.type, data.offset, data.length, data.nullCount, undefined, data.children.map(exactTimestamps));
}
