import { join } from 'node:path';
import { type ArrowField, printable, Random } from '@data-designer/core';
import { quotedName, quotedPath } from '@data-designer/seeds/duck-db';
import { readRows } from '@data-designer/dataset/parquet';
import type { ProfiledTable } from './profiled-table.ts';
import type { SampledRow, TableStatistics } from './table-statistics.ts';

/** Samples do not depend on the run (42 as in NeMo Data Designer). */
export const SAMPLE_SEED = 42;

/** Random records of a table in order, or all if they fit the sample, with values as templates see them. */
export async function sampleRows(
  statistics: TableStatistics,
  { size, fields }: { readonly size: number; readonly fields: readonly ArrowField[] },
): Promise<readonly SampledRow[]> {
  const { records } = statistics;
  return statistics.rows(fields, records <= size ? undefined : samplePositions(records, size));
}

/** The rows of files, with values as templates see them. */
export async function readSample(
  files: readonly string[],
  fields: readonly ArrowField[],
): Promise<readonly SampledRow[]> {
  const floats = fields.filter(({ type }) => type === 'float64').map(({ name }) => name);
  const rows: SampledRow[] = [];
  for await (const row of readRows(files, { fields })) {
    for (const name of floats) row[name] = printable(row[name] ?? null, true);
    rows.push({ position: rows.length, row });
  }
  return rows;
}

/** Writes the records at some positions to a Parquet file in a folder; returns its path. */
export async function copyRows(
  table: ProfiledTable,
  positions: readonly number[],
  { fields, folder }: { readonly fields: readonly ArrowField[]; readonly folder: string },
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
