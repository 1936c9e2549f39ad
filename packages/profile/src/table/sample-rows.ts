import { join } from 'node:path';
import { type ArrowField, type CellValue, printable, Random } from '@data-designer/core';
import { quotedName, quotedPath } from '@data-designer/seeds/duck-db';
import { readRows } from '@data-designer/dataset/parquet';
import type { ProfiledTable } from './profiled-table.ts';

/** Samples do not depend on the run (42 as in NeMo Data Designer). */
export const SAMPLE_SEED = 42;

/** A sampled record and its position in the dataset. */
export interface SampledRow {
  readonly position: number;
  readonly row: Readonly<Record<string, CellValue>>;
}

/** What to sample. */
interface Sample {
  readonly records: number;
  readonly size: number;
  readonly fields: readonly ArrowField[];
  /** For a temporary file. */
  readonly folder: string;
}

/** Random records of a table in order, or all if they fit the sample, with values as templates see them. */
export async function sampleRows(table: ProfiledTable, sample: Sample): Promise<readonly SampledRow[]> {
  const { fields, records, size } = sample;
  const positions = records <= size ? undefined : samplePositions(records, size);
  const files = positions ? [await copyOf(table, positions, sample)] : table.files;
  const floats = fields.filter(({ type }) => type === 'float64').map(({ name }) => name);
  const rows: SampledRow[] = [];
  for await (const row of readRows(files, { fields })) {
    for (const name of floats) row[name] = printable(row[name] ?? null, true);
    rows.push({ position: positions?.[rows.length] ?? rows.length, row });
  }
  return rows;
}

/** Writes the records at some positions to a Parquet file. */
async function copyOf(
  table: ProfiledTable,
  positions: readonly number[],
  { fields, folder }: Pick<Sample, 'fields' | 'folder'>,
): Promise<string> {
  const path = join(folder, 'sample.parquet');
  const columns = fields.map(({ name }) => quotedName(name)).join(', ');
  await table.run(
    `COPY (SELECT ${columns} FROM (SELECT ${columns}, row_number() OVER () - 1 AS position FROM t)
       WHERE position IN (SELECT unnest(CAST([${positions.join()}] AS BIGINT[]))))
     TO ${quotedPath(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
  );
  return path;
}

/** Distinct random positions among records, in order; the same each time. */
export function samplePositions(records: number, size: number): readonly number[] {
  const random = Random.of(SAMPLE_SEED, '').at(0);
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(random.below(records));
  return [...chosen].toSorted((a, b) => a - b);
}
