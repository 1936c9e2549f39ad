import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SeedSource } from '@data-designer/config';
import { DataDesignerError, type Finding, type Row } from '@data-designer/core';
import {
  batchFiles,
  datasetPaths,
  DatasetRows,
  fileStamp,
  hasRunRecord,
  readRunRecord,
  refuseLocked,
  storedFields,
} from '@data-designer/dataset';
import { readReviews, type ReviewExport, ReviewedExport } from '@data-designer/dataset/reviews';
import { writeRows } from '../rows/spool-rows.ts';
import { spoolTable } from '../rows/memory-rows.ts';
import {
  type InspectOptions,
  seedError,
  type SeedInspection,
  type SeedReader,
  seedWarning,
  unreadRows,
} from '../seed-reader.ts';
import type { SourceFile } from '../tables/table-source.ts';

type DatasetSource = Extract<SeedSource, { readonly seedType: 'dataset' }>;

/** Reads `dataset`: the rows of a finished dataset, as its reviews leave them. */
export const datasetReader: SeedReader<DatasetSource> = {
  inspect: async (source, { folder }: InspectOptions) => {
    const root = resolve(folder, source.path);
    try {
      return await inspectDataset(root, source);
    } catch (thrown) {
      const { code, message } = DataDesignerError.fromUnknown(thrown);
      if (!code.startsWith('dataset/')) throw thrown;
      return unreadRows([seedError('seed_unreadable', message, 'Name the folder of a finished dataset.')]);
    }
  },
};

async function inspectDataset(root: string, source: DatasetSource): Promise<SeedInspection> {
  const paths = datasetPaths(root);
  const table = new DatasetRows(root);
  await table.refresh();
  await refuseLocked(paths.lock);
  const stored = hasRunRecord(paths) ? (await readRunRecord(paths)).plan.fields : await storedFields(paths);
  const reviewed = new ReviewedExport(root, stored, useOf(source));
  const { rows, findings } = await countRows(root, table.total, source);
  const { fields } = reviewed;
  if (rows === 0) return { columns: fields, rows, findings };
  const open = async ({ scratch }: { readonly scratch: string }) => {
    const path = join(scratch, 'dataset.parquet');
    await writeRows(path, fields, groupsOf(reviewed.records()));
    return spoolTable(path, fields);
  };
  const files = await filesOf(root, source);
  const bytes = files.reduce((sum, { stamp }) => sum + (stamp?.size ?? 0), 0);
  const rowBytes = (bytes * UNPACKED) / table.total;
  return { columns: fields, rows, findings, source: { name: root, files, rowBytes, open } };
}

/** About how many bytes a byte of a Parquet file with texts holds. */
const UNPACKED = 3;

/** What an export with the reviews of a source does. */
function useOf({ reviews, reviewColumns }: DatasetSource): ReviewExport {
  return {
    applyEdits: reviews !== null,
    acceptedOnly: reviews === 'accepted',
    dropRejected: reviews !== null,
    ...(reviewColumns && { reviews: 'columns' }),
  };
}

/** Stale reviews are named up to this number. */
const MAX_NAMED = 5;

/** The rows that reviews leave, with a warning of those that have no effect. */
async function countRows(
  root: string,
  total: number,
  { reviews }: DatasetSource,
): Promise<Pick<SeedInspection, 'findings'> & { readonly rows: number }> {
  if (total === 0)
    return { rows: 0, findings: [seedError('seed_empty', `${root} has no rows.`, 'Name another dataset.')] };
  if (reviews === null) return { rows: total, findings: [] };
  const stale: number[] = [];
  let [accepted, rejected] = [0, 0];
  for await (const { row, verdict, isStale } of readReviews(root)) {
    if (isStale) stale.push(row);
    else if (verdict === 'reject') rejected++;
    else if (verdict !== null) accepted++;
  }
  const findings: Finding[] = stale.length === 0 ? [] : [staleWarning(root, stale)];
  const rows = reviews === 'accepted' ? accepted : total - rejected;
  if (rows === 0) {
    const message = reviews === 'accepted' ? `no row of ${root} is accepted.` : `all rows of ${root} are rejected.`;
    findings.push(seedError('seed_empty', message, 'Review rows with `data-designer view`, or read all rows.'));
  }
  return { rows, findings };
}

function staleWarning(root: string, stale: readonly number[]): Finding {
  const named = stale.slice(0, MAX_NAMED).join(', ') + (stale.length > MAX_NAMED ? ', …' : '');
  const many = stale.length === 1 ? 'one review' : `${stale.length} reviews`;
  const message = `${many} of ${root} had no effect, because the rows changed after the review: ${named} (from 0).`;
  const remedy = 'Review these rows again.';
  return seedWarning('seed_review_stale', message, remedy);
}

/** The files that the rows come from. */
async function filesOf(root: string, { reviews, reviewColumns }: DatasetSource): Promise<readonly SourceFile[]> {
  const paths = datasetPaths(root);
  const files = (await batchFiles(paths)).map(({ path }) => path);
  const isReviewed = (reviews !== null || reviewColumns) && existsSync(paths.reviews);
  const all = isReviewed ? [...files, paths.reviews] : files;
  return Promise.all(all.map(async (path) => ({ path, name: path, stamp: await fileStamp(path) })));
}

/** Rows with conversations may be long. */
const GROUP_ROWS = 1000;

async function* groupsOf(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let group: Row[] = [];
  for await (const row of rows) {
    if (group.push(row) < GROUP_ROWS) continue;
    yield group;
    group = [];
  }
  yield group;
}
