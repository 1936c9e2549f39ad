import {
  type Batch,
  type CellValue,
  type ColumnData,
  DataDesignerError,
  type Plan,
  type PlannedProcessor,
  Random,
  type Row,
} from '@data-designer/core';
import type { ColumnRegistry } from '@data-designer/config';
import { boxed } from './boxed.ts';

/** What makes the rows of a table beside the main one, compiled once a thread. */
interface RowMaker {
  readonly processor: string;
  readonly reads: readonly string[];
  readonly row: (record: Row, random: () => number) => Row;
  readonly random: Random;
}

/** The makers of the tables beside the main one, by processor. */
export type RowMakers = ReadonlyMap<string, RowMaker>;

/** Compiles what makes the tables beside the main one of a plan. */
export function besideMakers({ processors, templates, seed }: Plan, registry: ColumnRegistry): RowMakers {
  const maker = ({ config, beside }: PlannedProcessor): [string, RowMaker][] => {
    const type = registry.processorOf(config).beside;
    if (!beside || !type) return [];
    const row = type.row(config as never, templates);
    const random = Random.of(seed, `processor:${config.name}`);
    return [[config.name, { processor: config.name, reads: beside.reads, row, random }]];
  };
  return new Map(processors.flatMap(maker));
}

/** The rows of a group as they are before they are written. */
export interface MadeRows {
  readonly columns: ReadonlyMap<string, ColumnData>;
  readonly rows: number;
  /** Where in the run the row at a position stands. */
  readonly rowIndexOf: (position: number) => number;
  /** Columns whose integral numbers are floats. */
  readonly floats: ReadonlySet<string>;
}

/** The table that a processor makes beside the rows of a group. Throws `processor/failed`, which names processor and row. */
export function besideBatch(makers: RowMakers, made: MadeRows, { config, beside }: PlannedProcessor): Batch {
  const fields = beside?.fields ?? [];
  const maker = makers.get(config.name);
  return { fields, columns: maker ? columnsOf(maker, made, fields) : new Map(), rows: made.rows };
}

function columnsOf(maker: RowMaker, made: MadeRows, fields: Batch['fields']): ReadonlyMap<string, ColumnData> {
  const columns = new Map<string, CellValue[]>(fields.map(({ name }) => [name, []]));
  for (let position = 0; position < made.rows; position++) {
    const row = makeRow(maker, made, position);
    for (const [name, values] of columns) values.push(row[name] ?? null);
  }
  return columns;
}

/** A row of a plug-in's table may be anything. */
function checkedRow(row: Row): Row {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  throw new DataDesignerError('function/bad-value', { function: 'row', at: 'its result', found: typeof row });
}

function makeRow({ processor, reads, row, random }: RowMaker, made: MadeRows, position: number): Row {
  const record: Record<string, CellValue> = {};
  for (const name of reads) {
    const values = made.columns.get(name);
    if (values) record[name] = boxed(values[position] as CellValue, made.floats.has(name));
  }
  const rowIndex = made.rowIndexOf(position);
  try {
    const own = random.at(rowIndex);
    return checkedRow(row(record, () => own.float()));
  } catch (thrown) {
    const { code, message: reason } = DataDesignerError.fromUnknown(thrown);
    throw new DataDesignerError('processor/failed', { processor, row: rowIndex, code, reason }, { cause: thrown });
  }
}
