import { join } from 'node:path';
import { messageOf, type PlannedColumn } from '@data-designer/core';
import {
  batchFiles,
  ChecksumLog,
  datasetPaths,
  readSelection,
  rejectChanged,
  type SelectionRecord,
  TemporaryFolder,
} from '@data-designer/dataset';
import type { RunResult } from '@data-designer/engine';
import { quotedName, quotedPath, withBoundedDuckDb } from '@data-designer/seeds/duck-db';

/** How a selection changed the values of a sampled category. */
interface CategoryShares {
  /** The column. */
  readonly column: string;
  /** Its values, the most frequent of the candidates first, with their shares from 0 to 1. */
  readonly values: readonly {
    readonly value: string;
    /** The share of the candidates with the value. */
    readonly before: number;
    /** The share of the accepted rows with the value. */
    readonly after: number;
  }[];
}

/** How the rows of a dataset were selected. */
export interface SelectionProfile extends SelectionRecord {
  /** The columns of sampled categories; none if the candidates are gone, or were refused before they were stored. */
  readonly shares: readonly CategoryShares[];
  /** Why there are none although the candidates are there; absent otherwise. */
  readonly damage?: string;
}

/** Memory for counting. */
const MEGABYTES = 256;
/** The most columns and values that are compared. */
const MAX_COLUMNS = 20;
const MAX_VALUES = 20;

/** The selection of a dataset's rows; undefined without one. */
export async function profileSelection({
  path,
  plan,
}: Pick<RunResult, 'path' | 'plan'>): Promise<SelectionProfile | undefined> {
  const record = await readSelection(datasetPaths(path).metadata);
  if (!record) return undefined;
  const written = new Set(plan.fields.map(({ name }) => name));
  const columns = plan.columns.filter((column) => isCategory(column) && written.has(column.name));
  // Candidates that `where` refuses are not stored.
  const from = record.source ?? (plan.gate === undefined ? join(path, 'candidates') : undefined);
  const [before, after] = await Promise.all([from === undefined ? [] : filesIn(from), filesIn(path)]);
  if (columns.length === 0 || before.length === 0 || after.length === 0) return { ...record, shares: [] };
  const names = columns.slice(0, MAX_COLUMNS).map(({ name }) => name);
  try {
    // A load compares the rows of the dataset itself with their checksums.
    if (from !== undefined) await rejectChangedFiles(from, before);
    return { ...record, shares: await countShares(names, { before, after, candidates: record.candidates }) };
  } catch (thrown) {
    // A report needs no candidates: other programs may have changed or removed them.
    return { ...record, shares: [], damage: messageOf(thrown) };
  }
}

function isCategory({ config }: PlannedColumn): boolean {
  return config.columnType === 'sampler' && 'samplerType' in config && config.samplerType === 'category';
}

/** The Parquet files of a dataset; none if it has another format or is gone. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const files = await batchFiles(datasetPaths(folder));
  const paths = files.map(({ path }) => path);
  return paths.every((path) => path.endsWith('.parquet')) ? paths : [];
}

/** Throws `dataset/damaged` for a file of a dataset that differs from its checksum. */
async function rejectChangedFiles(folder: string, paths: readonly string[]): Promise<void> {
  const checksums = await new ChecksumLog(datasetPaths(folder)).read();
  for (const path of paths) await rejectChanged(path, checksums);
}

/** The files to compare, and the number of decided rows in those before the selection. */
interface Compared {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly candidates: number;
}

async function countShares(names: readonly string[], compared: Compared): Promise<readonly CategoryShares[]> {
  await using folder = await TemporaryFolder.make();
  return withBoundedDuckDb({ folder: folder.path, megabytes: MEGABYTES }, async (connection) => {
    const shares: CategoryShares[] = [];
    for (const column of names) {
      const rows = (await connection.runAndReadAll(sharesSql(quotedName(column), compared))).getRowsJS();
      const values = rows.map(([value, before, after]) => ({
        value: typeof value === 'string' ? value : 'null',
        before: Number(before),
        after: Number(after),
      }));
      shares.push({ column, values });
    }
    return shares;
  });
}

function sharesSql(column: string, { before, after, candidates }: Compared): string {
  const rows = (files: readonly string[]) =>
    `SELECT ${column} FROM read_parquet([${files.map(quotedPath).join(', ')}])`;
  const all = `SELECT ${column}::VARCHAR v, 1 b, 0 a FROM (${rows(before)} LIMIT ${candidates})
    UNION ALL SELECT ${column}::VARCHAR, 0, 1 FROM (${rows(after)})`;
  return `SELECT v, ${shareOf('b')}, ${shareOf('a')} FROM (${all}) GROUP BY v ORDER BY sum(b) DESC, v LIMIT ${MAX_VALUES}`;
}

function shareOf(count: string): string {
  return `sum(${count}) / sum(sum(${count})) OVER ()`;
}
