import { join } from 'node:path';
import { type ArrowField, printable, Random } from '@data-designer/core';
import { quotedName, quotedPath } from '@data-designer/seeds/duck-db';
import { readRows, rowBytesByColumn } from '@data-designer/dataset/parquet';
import type { ProfiledTable } from './profiled-table.ts';
import type { SampledRow, TableStatistics } from './table-statistics.ts';

/** Samples do not depend on the run (42 as in NeMo Data Designer). */
export const SAMPLE_SEED = 42;

/** A sample: its most records, about the most characters that they hold, and the columns that are read. */
export interface SampleSize {
  readonly size: number;
  readonly characters: number;
  readonly fields: readonly ArrowField[];
}

/**
 * Random records of a table in order, or all if they fit the sample, with values as templates see them; every nth of them
 * where they are long.
 */
export async function sampleRows(
  statistics: Pick<TableStatistics, 'records' | 'rowBytes' | 'rows'>,
  { size, characters, fields }: SampleSize,
): Promise<readonly SampledRow[]> {
  const { records } = statistics;
  const step = Math.ceil(((await statistics.rowBytes(fields)) * Math.min(records, size)) / characters);
  const positions = records <= size ? undefined : samplePositions(records, size);
  if (step <= 1) return statistics.rows(fields, positions);
  const all = positions ?? Array.from({ length: records }, (_, position) => position);
  return statistics.rows(
    fields,
    all.filter((_, index) => index % step === 0),
  );
}

/** About the bytes of a row of files, of which each footer is read once. */
export class RowBytes {
  readonly #files: readonly string[];
  #byColumn: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  /** Those of some columns together. */
  async of(fields: readonly ArrowField[]): Promise<number> {
    const byColumn = await (this.#byColumn ??= rowBytesByColumn(this.#files));
    return fields.reduce((sum, { name }) => sum + (byColumn.get(name) ?? 0), 0);
  }
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
