import {
  type Batch,
  type CellValue,
  type ColumnData,
  DataDesignerError,
  type Plan,
  type PlannedProcessor,
  printable,
  Random,
  type Row,
} from '@data-designer/core';
import type { ColumnRegistry } from '@data-designer/config';
import { processorFailure } from '../functions/processor-functions.ts';

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
  const maker = ({ config, beside }: PlannedProcessor): [string, SideTableMaker][] => {
    const type = registry.processorOf(config).sideTable;
    if (!beside || !type) return [];
    const row = type.row(config, templates);
    const random = Random.of(seed, `processor:${config.name}`);
    return [[config.name, { processor: config.name, reads: beside.reads, row, random }]];
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

/** The side table that a processor makes of the rows of a group. Throws `processor/failed` with processor and row. */
export function sideTableBatch(makers: SideTableMakers, made: MadeRows, { config, beside }: PlannedProcessor): Batch {
  const fields = beside?.fields ?? [];
  const maker = makers.get(config.name);
  return { fields, columns: maker ? columnsOf(maker, made, fields) : new Map(), rows: made.rows };
}

function columnsOf(maker: SideTableMaker, made: MadeRows, fields: Batch['fields']): ReadonlyMap<string, ColumnData> {
  const columns = new Map<string, CellValue[]>(fields.map(({ name }) => [name, []]));
  for (let position = 0; position < made.rows; position++) {
    const row = makeRow(maker, made, position);
    for (const [name, values] of columns) values.push(row[name] ?? null);
  }
  return columns;
}

/** Refuses a plug-in's row that is no object. */
function checkedRow(row: Row): Row {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  throw new DataDesignerError('function/bad-value', { function: 'row', at: 'its result', found: typeof row });
}

function makeRow({ processor, reads, row, random }: SideTableMaker, made: MadeRows, position: number): Row {
  const record: Record<string, CellValue> = {};
  for (const name of reads) {
    const values = made.columns.get(name);
    if (values) record[name] = printable(values[position] ?? null, made.floats.has(name));
  }
  const rowIndex = made.rowIndexOf(position);
  try {
    const own = random.at(rowIndex);
    return checkedRow(row(record, () => own.float()));
  } catch (thrown) {
    throw processorFailure(processor, rowIndex, thrown);
  }
}
