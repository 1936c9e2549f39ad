import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { type ArrowField, type CellValue, NEVER } from '@data-designer/core';
import { datasetPaths, exportRows, RUN_RECORD_VERSION } from '@data-designer/dataset';
import { type FileServer, serveFolder } from '../../bench/test/file-server.ts';
import type { Api } from '../src/api/requests.ts';
import { StaticCopy } from '../src/app/copy/static-copy.ts';
import { copyFiles } from '../src/copy-data.ts';
import { answerOf } from '../src/server/routes.ts';
import { ShownDatasets } from '../src/server/shown-datasets.ts';
import { writeCopy } from '../src/server/write-copy.ts';

type Answer = <Name extends keyof Api>(name: Name, request: object) => Promise<Api[Name]['answer']>;

/** The rows of a dataset, and the columns that a plan declares. */
interface MadeDataset {
  readonly fields: readonly ArrowField[];
  readonly rows: Iterable<Readonly<Record<string, CellValue>>>;
  /** The declared columns by name: their configs. */
  readonly configs?: Readonly<Record<string, object>>;
  /** What is done before the copy is written. */
  readonly prepare?: (folder: string, served: Answer) => Promise<void>;
}

/** A dataset that a server shows, and a static copy of it. */
export interface ServedAndCopied extends AsyncDisposable {
  readonly served: Answer;
  readonly copied: Answer;
  readonly copy: StaticCopy;
  /** The folder of the copy's files, and their server. */
  readonly folder: string;
  readonly site: FileServer;
}

/** Makes a dataset named `facts`, which a server and a static copy of it show. */
export async function serveAndCopy({ fields, rows, configs = {}, prepare }: MadeDataset): Promise<ServedAndCopied> {
  const home = await mkdtemp(join(tmpdir(), 'served-and-copied-'));
  const folder = join(home, 'facts');
  const paths = datasetPaths(folder);
  await mkdir(paths.parquetFiles, { recursive: true });
  let total = 0;
  async function* records() {
    for (const row of rows) {
      total++;
      yield row;
    }
  }
  await exportRows({ records: records(), fields }, join(paths.parquetFiles, 'batch_00000.parquet'), 'parquet');
  const columns = Object.entries(configs).map(([name, config]) => ({
    name,
    config,
    needs: [],
    reads: [],
    skipReads: [],
    writes: fields.filter((field) => field.name === name || field.name.startsWith(`${name}__`)),
    requires: { models: [], tools: [] },
  }));
  const segments = [{ firstRow: 0, rows: total, groupSize: total }];
  const lists = { columns, fields, processors: [], resources: [], segments };
  const plan = { ...lists, dropped: null, models: {}, tools: {}, seed: 1, maxCost: null };
  const record = { version: RUN_RECORD_VERSION, format: 'parquet', tools: {}, plan, tables: [] };
  await writeFile(paths.run, JSON.stringify(record));
  const opened = { folders: [folder], registry: new ColumnRegistry(columnTypes), version: '1' };
  const shown = new ShownDatasets(opened);
  await shown.list();
  const served: Answer = async (name, request) =>
    (await answerOf(name, { dataset: 'facts', ...request }, { shown, signal: NEVER })) as Api[typeof name]['answer'];
  await prepare?.(folder, served);
  const [appFolder, to] = [join(home, 'app'), join(home, 'site')];
  await mkdir(appFolder);
  await writeCopy({ ...opened, to, appFolder, traces: true, reviews: true, shareConfig: String });
  const site = await serveFolder(to);
  const copy = await openCopy(site);
  return {
    served,
    copied: (name, request) =>
      copy.answer(name, { dataset: 'facts', ...request } as Api[typeof name]['request'], NEVER),
    copy,
    folder: to,
    site,
    async [Symbol.asyncDispose]() {
      await shown[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
      await rm(home, { recursive: true });
    },
  };
}

/** Opens the copy that a server of files sends. */
export function openCopy({ address }: FileServer): Promise<StaticCopy> {
  const { data, rows, ...others } = copyFiles(0);
  return StaticCopy.open({ data: `${address}${data}`, rows: `${address}${rows}`, ...others });
}
