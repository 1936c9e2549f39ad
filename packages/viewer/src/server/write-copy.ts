import { chmod, cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataDesignerError, NEVER, parseJson, type Plan, stringifyJson } from '@data-designer/core';
import { chunksOf, readDataset, refuseLocked, writeDurably } from '@data-designer/dataset';
import { storageOf } from '@data-designer/dataset/formats';
import type { Api } from '../api/api.ts';
import type { ColumnInfo } from '../api/columns.ts';
import type { FailedCellsPage } from '../api/failures.ts';
import type { ColumnStats } from '../api/table.ts';
import { COPY_FILES, type CopiedRecords, type CopyData } from '../copy-data.ts';
import { copiedRecords, hasRecordParts } from './copied-records.ts';
import { answerOf } from './routes.ts';
import type { ShownDataset } from './shown-dataset.ts';
import { ShownDatasets, type ShownOptions } from './shown-datasets.ts';

/** What a static copy of a dataset holds. */
export interface WriteCopyOptions extends Omit<ShownOptions, 'folders'> {
  readonly folder: string;
  /** A folder that does not exist yet, or is empty. */
  readonly to: string;
  /** The folder of the built app of copies. */
  readonly appFolder: string;
  /** Whether conversations, raw answers and the conversations of failed cells are part of it. */
  readonly traces: boolean;
  readonly reviews: boolean;
  /** Removes secrets and paths of this machine from a declaration. */
  readonly shareConfig: (config: unknown) => unknown;
}

/** What a static copy may hold that a reader of the dataset need not see. */
export interface PrivateParts {
  readonly traces: boolean;
  readonly reviews: number;
}

const RECORDS_PER_FILE = 100;
const FAILED_CELLS = 1000;
const PAGE = 100;

/** Opens the one dataset of a folder. Throws `usage/invalid` for several, and `dataset/missing` or `dataset/locked`. */
async function openOne({ folder, registry, version }: Pick<WriteCopyOptions, 'folder' | 'registry' | 'version'>) {
  const shown = new ShownDatasets({ folders: [folder], registry, version });
  const { datasets } = await shown.list();
  const [entry] = datasets;
  if (!entry || datasets.length > 1) {
    const reason = `${folder} contains ${datasets.length} datasets, and a static copy has one; name the folder of one`;
    throw new DataDesignerError('usage/invalid', { reason });
  }
  const dataset = shown.of(entry.id);
  await refuseLocked(dataset.paths.lock);
  return { shown, dataset };
}

/** What a copy of a dataset leaves out unless it is told to include it. */
export async function privateParts(
  of: Pick<WriteCopyOptions, 'folder' | 'registry' | 'version'>,
): Promise<PrivateParts> {
  const { dataset } = await openOne(of);
  const { columns } = await dataset.plan();
  return { traces: columns.some(isTrace), reviews: (await dataset.reviews.list()).length };
}

/**
 * Writes a static copy of a dataset: the pages, its rows as Parquet, and the records as JSON, for any web server. Returns the
 * number of rows. Throws `dataset/*`, and `dataset/unwritable` for a folder with files.
 */
export async function writeCopy(options: WriteCopyOptions): Promise<number> {
  const { to, appFolder } = options;
  const { shown, dataset } = await openOne(options);
  if ((await readdir(to).catch(() => [])).length > 0) {
    throw new DataDesignerError('dataset/unwritable', { path: to, reason: 'the folder has files' });
  }
  const wasThere = existsSync(to);
  try {
    await mkdir(join(to, COPY_FILES.media), { recursive: true });
    await cp(appFolder, to, { recursive: true });
    await new CopyWriter(options, shown, dataset).write();
    return (await dataset.currentRows()).total;
  } catch (thrown) {
    await rm(wasThere ? join(to, 'data') : to, { recursive: true, force: true });
    throw thrown;
  }
}

class CopyWriter {
  readonly #options: WriteCopyOptions;
  readonly #shown: ShownDatasets;
  readonly #dataset: ShownDataset;

  constructor(options: WriteCopyOptions, shown: ShownDatasets, dataset: ShownDataset) {
    this.#options = options;
    this.#shown = shown;
    this.#dataset = dataset;
  }

  async write(): Promise<void> {
    const { to, traces } = this.#options;
    const { plan, columns: all } = await this.#dataset.plan();
    const columns = traces ? all : all.filter((column) => !isTrace(column));
    const rowsPath = join(to, COPY_FILES.rows);
    await this.#writeRows(rowsPath, plan, columns);
    const rows = await this.#dataset.currentRows();
    const recordsPerFile = (await hasRecordParts(this.#dataset)) ? RECORDS_PER_FILE : 0;
    const recorded = recordsPerFile === 0 ? 0 : rows.total;
    for (let first = 0; first < recorded; first += RECORDS_PER_FILE) {
      const indexes = Array.from({ length: Math.min(recorded - first, RECORDS_PER_FILE) }, (_, at) => first + at);
      const records: CopiedRecords = await copiedRecords(this.#dataset, indexes, { to, traces, columns });
      await this.#writeJson(COPY_FILES.records(first / RECORDS_PER_FILE), records);
    }
    const { size: bytes } = await stat(rowsPath);
    await this.#writeJson(COPY_FILES.data, await this.#data(columns, { bytes, recordsPerFile }));
  }

  async #writeRows(path: string, { fields }: Plan, columns: readonly ColumnInfo[]): Promise<void> {
    const kept = fields.filter(({ name }) => columns.some((column) => column.name === name));
    const write = await storageOf('parquet').loadWriter();
    const batches = chunksOf(readDataset(this.#dataset.paths.folder), kept);
    await writeDurably(path, (append) => write({ fields: kept, batches, isForBrowsers: true }, append));
    // Files of datasets are private; a web server may run as another user.
    await chmod(path, 0o644);
  }

  #writeJson(path: string, value: unknown): Promise<void> {
    return writeFile(join(this.#options.to, path), stringifyJson(value));
  }

  async #data(columns: readonly ColumnInfo[], sizes: Pick<CopyData, 'bytes' | 'recordsPerFile'>): Promise<CopyData> {
    const { entry } = this.#dataset;
    const { reviews, shareConfig } = this.#options;
    const dataset = { id: entry.id, name: entry.name, path: entry.name };
    const list = await this.#ask('datasets', {});
    const overview = await this.#ask('overview', { dataset: entry.id });
    const config = await this.#ask('config', { dataset: entry.id });
    const declaration =
      config.declaration === null ? null : stringifyJson(shareConfig(parseJson(config.declaration)), 2);
    return {
      datasets: { ...list, workflow: null, title: entry.name, datasets: [dataset] },
      overview: { ...overview, dataset, columns, process: null },
      profile: await this.#ask('profile', { dataset: entry.id }),
      failures: await this.#ask('failures', { dataset: entry.id }),
      failedCells: await this.#failedCells(),
      refusals: { total: 0, from: 0, refusals: [], note: 'A static copy does not list refused candidates.' },
      config: { ...config, declaration, environment: {} },
      stats: await this.#stats(columns),
      reviews: reviews ? (await this.#ask('reviews', { dataset: entry.id })).reviews : [],
      ...sizes,
    };
  }

  async #stats(columns: readonly ColumnInfo[]): Promise<readonly ColumnStats[]> {
    const names = columns.filter((column) => !isTrace(column)).map(({ name }) => name);
    const { stats } = await this.#ask('stats', { dataset: this.#dataset.entry.id, columns: names });
    return stats;
  }

  async #failedCells(): Promise<FailedCellsPage> {
    const cells: FailedCellsPage['cells'][number][] = [];
    let total = Infinity;
    while (cells.length < Math.min(total, FAILED_CELLS)) {
      const request = { dataset: this.#dataset.entry.id, from: cells.length, count: PAGE };
      const page = await this.#ask('failed-cells', request);
      ({ total } = page);
      if (page.cells.length === 0) break;
      cells.push(...page.cells.map((cell) => (this.#options.traces ? cell : { ...cell, messages: [] })));
    }
    return { total: cells.length, from: 0, cells };
  }

  async #ask<Name extends keyof Api>(name: Name, request: Api[Name]['request']): Promise<Api[Name]['answer']> {
    const answer: unknown = await answerOf(name, request, { shown: this.#shown, signal: NEVER });
    // The routes are checked to answer with the type of their name.
    return answer as Api[Name]['answer'];
  }
}

function isTrace({ kind }: ColumnInfo): boolean {
  return kind === 'trace';
}
