import {
  type Batch,
  type CellValue,
  type ColumnData,
  DataDesignerError,
  isFailure,
  type Plan,
  type PlannedProcessor,
  printable,
  Random,
  type Row,
} from '@data-designer/core';
import type { ColumnRegistry } from '@data-designer/config';
import { valuesAt } from './column-values.ts';

/** Makes the rows of a side table; compiled once per thread. */
interface SideTableMaker {
  readonly processor: string;
  readonly reads: readonly string[];
  readonly row: (record: Row, random: () => number) => Row;
  readonly random: Random;
}

/** The makers of a plan's side tables, by processor. */
export type SideTableMakers = ReadonlyMap<string, SideTableMaker>;

/** Compiles the makers of a plan's side tables. */
export function sideTableMakers({ processors, templates, seed }: Plan, registry: ColumnRegistry): SideTableMakers {
  const maker = ({ config, sideTable }: PlannedProcessor): [string, SideTableMaker][] => {
    const type = registry.processorOf(config).sideTable;
    if (!sideTable || !type) return [];
    const row = type.row(config, templates);
    const random = Random.of(seed, `processor:${config.name}`);
    return [[config.name, { processor: config.name, reads: sideTable.reads, row, random }]];
  };
  return new Map(processors.flatMap(maker));
}

/** The finished rows of a group before they are written. */
export interface MadeRows {
  readonly columns: ReadonlyMap<string, ColumnData>;
  readonly rows: number;
  /** The index in the run of the row at a position. */
  readonly rowIndexOf: (position: number) => number;
  /** Columns whose integral numbers are floats. */
  readonly floats: ReadonlySet<string>;
}

/** A row that a processor cannot make. */
export interface RefusedRow {
  readonly rowIndex: number;
  readonly failure: DataDesignerError;
}

/** A side table, and the rows that it does not have. */
interface SideTableRows {
  readonly batch: Batch;
  /** The positions of its rows among the rows of the group. */
  readonly kept: readonly number[];
  readonly refused: readonly RefusedRow[];
}

/** The side table that a processor makes of the rows of a group; a row that it cannot make costs no other row. */
export async function sideTableRows(
  makers: SideTableMakers,
  made: MadeRows,
  { config, sideTable }: PlannedProcessor,
): Promise<SideTableRows> {
  const fields = sideTable?.fields ?? [];
  const maker = makers.get(config.name);
  if (!maker) return { batch: { fields, columns: new Map(), rows: made.rows }, kept: [], refused: [] };
  const columns = new Map<string, CellValue[]>(fields.map(({ name }) => [name, []]));
  const kept: number[] = [];
  const refused: RefusedRow[] = [];
  for (let position = 0; position < made.rows; position++) {
    const row = makeRow(maker, made, position);
    if ('failure' in row) {
      refused.push(row);
      continue;
    }
    kept.push(position);
    for (const [name, values] of columns) values.push(row.made[name] ?? null);
  }
  return withoutMisfits({ batch: { fields, columns, rows: kept.length }, kept, refused }, made, config.name);
}

/** The table without the rows whose values do not fit its fields. */
async function withoutMisfits(table: SideTableRows, made: MadeRows, processor: string): Promise<SideTableRows> {
  const { checkBatch } = await import('@data-designer/dataset/write');
  if ((await misfitOf(checkBatch, table.batch)) === undefined) return table;
  const { batch, kept, refused } = table;
  const fitting: number[] = [];
  const misfits: RefusedRow[] = [];
  for (const [at, position] of kept.entries()) {
    const misfit = await misfitOf(checkBatch, batchAt(batch, [at]));
    if (misfit) misfits.push(refusedRow(misfit, { processor, rowIndex: made.rowIndexOf(position) }));
    else fitting.push(at);
  }
  return {
    batch: batchAt(batch, fitting),
    kept: fitting.map((at) => kept[at] ?? -1),
    refused: [...refused, ...misfits],
  };
}

/** The reason why a field cannot hold a value of the batch; undefined if all values fit. */
async function misfitOf(check: (batch: Batch) => Promise<void>, batch: Batch): Promise<string | undefined> {
  try {
    await check(batch);
    return undefined;
  } catch (thrown) {
    if (!isFailure(thrown, 'dataset/misfit')) throw thrown;
    const { column, expected, found } = thrown.data;
    return `column '${column}' of its side table: expected ${expected}, found ${found}`;
  }
}

function refusedRow(reason: string, { processor, rowIndex }: { processor: string; rowIndex: number }): RefusedRow {
  const failure = { processor, row: rowIndex, code: 'dataset/misfit', reason };
  return { rowIndex, failure: new DataDesignerError('processor/lost-row', failure) };
}

/** A group without the rows at other positions. */
export function rowsAt(made: MadeRows, kept: readonly number[]): MadeRows {
  const { columns, rows } = batchAt({ fields: [], ...made }, kept);
  return { ...made, columns, rows, rowIndexOf: (position) => made.rowIndexOf(kept[position] ?? -1) };
}

/** A batch without the rows at other positions. */
export function batchAt({ fields, columns }: Batch, kept: readonly number[]): Batch {
  const left = Array.from(columns, ([name, values]): [string, ColumnData] => [name, valuesAt(values, kept)]);
  return { fields, columns: new Map(left), rows: kept.length };
}

/** Refuses a plug-in's row that is no object. */
function checkedRow(row: Row): Row {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  throw new DataDesignerError('function/bad-value', { function: 'row', at: 'its result', found: typeof row });
}

function makeRow(
  { processor, reads, row, random }: SideTableMaker,
  made: MadeRows,
  position: number,
): RefusedRow | { readonly made: Row } {
  const record: Record<string, CellValue> = {};
  for (const name of reads) {
    const values = made.columns.get(name);
    if (values) record[name] = printable(values[position] ?? null, made.floats.has(name));
  }
  const rowIndex = made.rowIndexOf(position);
  try {
    const own = random.at(rowIndex);
    return { made: checkedRow(row(record, () => own.float())) };
  } catch (thrown) {
    const { code, message: reason } = DataDesignerError.fromUnknown(thrown);
    return {
      rowIndex,
      failure: new DataDesignerError('processor/lost-row', { processor, row: rowIndex, code, reason }),
    };
  }
}
