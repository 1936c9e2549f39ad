import { chmod, cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DataDesignerError, NEVER, type Plan, refuseAddress, stringifyJson } from '@data-designer/core';
import { chunksOf, readDataset, readJsonFile, refuseLocked, writeDurably } from '@data-designer/dataset';
import { storageOf } from '@data-designer/dataset/formats';
import type { Api } from '../api/requests.ts';
import type { ColumnInfo } from '../api/columns.ts';
import type { DatasetEntry, DatasetList } from '../api/datasets.ts';
import type { FailedCellsPage } from '../api/failures.ts';
import type { ColumnStats } from '../api/table.ts';
import {
  type CopiedMedia,
  type CopiedRecords,
  COPY_INDEX,
  type CopyData,
  copyFiles,
  type CopyIndex,
} from '../copy-data.ts';
import { copiedRecords, hasRecordParts } from './copied-records.ts';
import { mediaKinds } from './record/media.ts';
import { answerOf } from './routes.ts';
import type { ShownDataset } from './shown-dataset.ts';
import { ShownDatasets, type ShownOptions } from './shown-datasets.ts';

/** What a static copy holds. */
export interface WriteCopyOptions extends ShownOptions {
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

/** Opens the datasets of folders. Throws `dataset/missing`, and `dataset/locked` during a run. */
async function openAll(options: ShownOptions): Promise<{ shown: ShownDatasets; list: DatasetList }> {
  const shown = new ShownDatasets(options);
  const { datasets, ...list } = await shown.list();
  const folders = new Set(datasets.map(({ path }) => path));
  // The candidates of a selection are the rows that its author refused.
  const copied = datasets.filter(({ path }) => !folders.has(dirname(path)));
  for (const { id } of copied) await refuseLocked(shown.of(id).paths.lock);
  return { shown, list: { ...list, datasets: copied } };
}

/** What a copy leaves out unless it is told to include it. */
export async function privateParts(options: ShownOptions): Promise<PrivateParts> {
  const { shown, list } = await openAll(options);
  await using _ = shown;
  let [traces, reviews] = [false, 0];
  for (const { id } of list.datasets) {
    const dataset = shown.of(id);
    const { columns } = await dataset.plan();
    traces ||= columns.some(isTrace);
    reviews += (await dataset.reviews.list()).length;
  }
  return { traces, reviews };
}

/**
 * Writes a static copy of datasets: the pages, their rows as Parquet, and the records as JSON, for any web server. Returns the
 * number of rows of all datasets. Throws `dataset/*`, and `dataset/unwritable` for a folder with files.
 */
export async function writeCopy(options: WriteCopyOptions): Promise<number> {
  refuseAddress(options.to);
  const { to, appFolder } = options;
  const { shown, list } = await openAll(options);
  await using _ = shown;
  if ((await readdir(to).catch(() => [])).length > 0) {
    throw new DataDesignerError('dataset/unwritable', { path: to, reason: 'the folder has files' });
  }
  const wasThere = existsSync(to);
  let rows = 0;
  try {
    await cp(appFolder, to, { recursive: true });
    for (const [position, { id }] of list.datasets.entries()) {
      const dataset = shown.of(id);
      await new CopyWriter(options, { shown, dataset, files: copyFiles(position) }).write();
      rows += (await dataset.currentRows()).total;
    }
    const index: CopyIndex = { ...list, datasets: list.datasets.map(nameless), hasReviews: options.reviews };
    await writeFile(join(to, COPY_INDEX), stringifyJson(index));
    return rows;
  } catch (thrown) {
    await rm(wasThere ? join(to, 'data') : to, { recursive: true, force: true });
    throw thrown;
  }
}

/** A dataset without its path on this machine. */
function nameless({ id, name, workflow }: DatasetEntry): DatasetEntry {
  return { id, name, path: name, workflow };
}

interface CopiedDataset {
  readonly shown: ShownDatasets;
  readonly dataset: ShownDataset;
  readonly files: ReturnType<typeof copyFiles>;
}

class CopyWriter {
  readonly #options: WriteCopyOptions;
  readonly #shown: ShownDatasets;
  readonly #dataset: ShownDataset;
  readonly #files: CopiedDataset['files'];

  constructor(options: WriteCopyOptions, { shown, dataset, files }: CopiedDataset) {
    this.#options = options;
    this.#shown = shown;
    this.#dataset = dataset;
    this.#files = files;
  }

  async write(): Promise<void> {
    const { to, traces } = this.#options;
    const { plan, columns: all } = await this.#dataset.plan();
    const columns = traces ? all : all.filter((column) => !isTrace(column));
    const { rows: rowsFile, media } = this.#files;
    const rowsPath = join(to, rowsFile);
    await mkdir(join(to, media), { recursive: true });
    await this.#writeRows(rowsPath, plan, columns);
    const rows = await this.#dataset.currentRows();
    const recordsPerFile = (await hasRecordParts(this.#dataset)) ? RECORDS_PER_FILE : 0;
    const hasMedia = mediaKinds(plan, columns).size > 0;
    const recorded = recordsPerFile === 0 ? 0 : rows.total;
    for (let first = 0; first < recorded; first += RECORDS_PER_FILE) {
      const indexes = Array.from({ length: Math.min(recorded - first, RECORDS_PER_FILE) }, (_, at) => first + at);
      const records: CopiedRecords = await copiedRecords(this.#dataset, indexes, { to, media, traces, columns });
      await this.#writeJson(this.#files.records(first / RECORDS_PER_FILE), records);
      const ofRows: CopiedMedia = records.map(({ media: found }) => found);
      if (hasMedia) await this.#writeJson(this.#files.mediaOf(first / RECORDS_PER_FILE), ofRows);
    }
    const { size: bytes } = await stat(rowsPath);
    await this.#writeJson(this.#files.data, await this.#data(columns, { bytes, recordsPerFile, hasMedia }));
  }

  async #writeRows(path: string, { fields }: Plan, columns: readonly ColumnInfo[]): Promise<void> {
    const kept = fields.filter(({ name }) => columns.some((column) => column.name === name));
    const write = await storageOf('parquet').loadWriter();
    const batches = chunksOf(readDataset(this.#dataset.paths.folder), kept);
    await writeDurably(path, (append) => write({ fields: kept, batches, isForBrowsers: true }, append));
    // Files of datasets are private; a web server may run as another user.
    await chmod(path, 0o644);
  }

  async #writeJson(name: string, value: unknown): Promise<void> {
    const path = join(this.#options.to, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, stringifyJson(value));
  }

  async #data(
    columns: readonly ColumnInfo[],
    sizes: Pick<CopyData, 'bytes' | 'recordsPerFile' | 'hasMedia'>,
  ): Promise<CopyData> {
    const { entry } = this.#dataset;
    const { reviews, shareConfig } = this.#options;
    const overview = await this.#ask('overview', { dataset: entry.id });
    const config = await this.#ask('config', { dataset: entry.id });
    const document = await readJsonFile(this.#dataset.paths.builderConfig);
    const declaration = document === undefined ? null : stringifyJson(shareConfig(document), 2);
    return {
      overview: { ...overview, dataset: nameless(entry), columns, process: null },
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
    const page = { total: cells.length, from: 0, cells };
    if (total <= cells.length) return page;
    return { ...page, note: `This copy has the first ${cells.length} of ${total} failed cells.` };
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
