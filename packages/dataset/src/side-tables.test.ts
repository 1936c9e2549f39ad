import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import zlib from 'node:zlib';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mkdir } from 'node:fs/promises';
import { field } from '@data-designer/core';
import { batchName, finishMerges, mergedName } from './formats/batch-files.ts';
import { type DatasetPaths, datasetPaths } from './dataset-paths.ts';
import { mergeBatches, mergeSideFiles } from './merge/merge-batches.ts';
import { ChecksumLog } from './logs/checksums.ts';
import { refuseLostFiles } from './repair/lost-files.ts';
import { readRows } from './formats/parquet/read-parquet.ts';
import { clearSideOrphans, makeSideFolders, sideFiles, sideFolders, sideTables } from './side-tables.ts';
import { writeDataFile } from '../test/data-files.ts';

const fields = [field('id', 'int64')];
const DROPPED = { processor: null, fields };
const CHATS = { processor: 'chats', fields };

let paths: DatasetPaths;

beforeEach(async () => {
  paths = datasetPaths(mkdtempSync(join(tmpdir(), 'side-tables-')));
  for (const folder of [paths.parquetFiles, paths.partialFiles]) await mkdir(folder);
  await makeSideFolders(paths, [DROPPED, CHATS]);
});

afterEach(() => rmSync(paths.folder, { recursive: true }));

const batchAt = (folder: string, group: number) =>
  writeDataFile(join(folder, batchName(group, 'parquet')), { fields, columns: new Map([['id', [group]]]), rows: 1 });

async function write(group: number, ...tables: readonly (typeof CHATS | typeof DROPPED | 'main')[]): Promise<void> {
  for (const table of tables) {
    await batchAt(table === 'main' ? paths.parquetFiles : sideFolders(paths, table).parquetFiles, group);
  }
}

const names = async (table: typeof CHATS | typeof DROPPED) =>
  (await sideFiles(paths, table)).map(({ path }) => basename(path));

const sumOf = (path: string) => ({ bytes: readFileSync(path).length, crc32: zlib.crc32(readFileSync(path)) });

test('the side tables of a plan are its dropped columns and the outputs of its processors', () => {
  const processor = (name: string, sideTable: { fields: typeof fields; reads: string[] } | null) =>
    ({ config: { name, processorType: 'x' }, stage: 'post_batch', sideTable, process: null }) as const;
  const processors = [processor('out', null), processor('chats', { fields, reads: [] })];
  expect(sideTables({ dropped: fields, processors })).toEqual([DROPPED, CHATS]);
  expect(sideTables({ dropped: [], processors })).toEqual([CHATS]);
  expect(sideTables({ dropped: null, processors: [] })).toEqual([]);
});

test('files of an uncommitted group are not read and are removed', async () => {
  await write(0, DROPPED, CHATS, 'main');
  await write(1, DROPPED, CHATS);
  expect([await names(DROPPED), await names(CHATS)]).toEqual([['batch_00000.parquet'], ['batch_00000.parquet']]);
  await clearSideOrphans(paths, [DROPPED, CHATS]);
  expect(readdirSync(paths.droppedColumns)).toEqual(['batch_00000.parquet']);
  expect(readdirSync(join(paths.processorsFiles, 'chats'))).toEqual(['batch_00000.parquet']);
});

test('files are merged like those of the main table, also after an interruption', async () => {
  for (const group of [0, 1, 2]) await write(group, DROPPED, CHATS, 'main');
  await mergeBatches(paths, { format: 'parquet' });
  await mergeSideFiles(paths, CHATS, 'parquet');
  // The merged file of the other table was written but not renamed.
  await mergeSideFiles(paths, DROPPED, 'parquet');
  const merged = mergedName({ first: 0, last: 2 }, 'parquet');
  const { parquetFiles, partialFiles } = sideFolders(paths, DROPPED);
  renameSync(join(parquetFiles, merged), join(partialFiles, merged));
  for (const group of [0, 1, 2]) await write(group, DROPPED);
  expect(await names(DROPPED)).toEqual([merged]);
  await finishMerges(sideFolders(paths, DROPPED));
  expect([readdirSync(parquetFiles), await names(CHATS)]).toEqual([[merged], [merged]]);
  const rows = await Array.fromAsync(readRows((await sideFiles(paths, DROPPED)).map(({ path }) => path)));
  expect(rows).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
});

test('side files are not merged beyond the files of the main table', async () => {
  for (const group of [0, 2]) await write(group, CHATS, 'main');
  await mergeBatches(paths, { format: 'parquet' });
  await mergeSideFiles(paths, CHATS, 'parquet');
  expect(await names(CHATS)).toEqual(['batch_00000.parquet', 'batch_00002.parquet']);
});

test('a load refuses a dataset of which a side table or an image is missing or has another size', async () => {
  for (const group of [0, 1]) await write(group, CHATS, DROPPED, 'main');
  const image = join(paths.folder, 'images', 'one.png');
  mkdirSync(join(paths.folder, 'images'));
  writeFileSync(image, 'picture');
  const files = [CHATS, DROPPED].map((table) => join(sideFolders(paths, table).parquetFiles, batchName(1, 'parquet')));
  const sums = files.map((path) => ({ path, sum: { ...sumOf(path), rows: 1 } }));
  const images = [{ path: 'images/one.png', ...sumOf(image) }];
  await new ChecksumLog(paths).add(sums, [{ group: 1, images }]);
  const load = (layout?: 'python') => refuseLostFiles(paths, [DROPPED, CHATS], layout ? { layout } : {});
  await load();
  for (const path of [...files, image]) {
    const whole = readFileSync(path);
    const lost = { code: 'dataset/damaged', data: { path } };
    appendFileSync(path, 'x');
    await expect(load()).rejects.toMatchObject(lost);
    rmSync(path);
    await expect(load()).rejects.toMatchObject(lost);
    mkdirSync(path);
    await expect(load()).rejects.toMatchObject({ code: 'dataset/damaged' });
    rmSync(path, { recursive: true });
    writeFileSync(path, whole);
  }
  await load();
  rmSync(join(sideFolders(paths, CHATS).parquetFiles, batchName(0, 'parquet')));
  await load('python');
  await expect(load()).rejects.toMatchObject({ code: 'dataset/damaged' });
  rmSync(sideFolders(paths, CHATS).parquetFiles, { recursive: true });
  await expect(load()).rejects.toMatchObject({ code: 'dataset/damaged' });
});

test('a load refuses a dataset of which a committed file of rows is gone, and none of a run that was killed at its commit', async () => {
  await write(1, 'main');
  const path = join(paths.parquetFiles, batchName(1, 'parquet'));
  await new ChecksumLog(paths).add([{ path, sum: { ...sumOf(path), rows: 1 } }]);
  const load = () => refuseLostFiles(paths, [], {});
  await load();
  const staged = join(paths.partialFiles, batchName(1, 'parquet'));
  renameSync(path, staged);
  await load();
  rmSync(staged);
  mkdirSync(paths.journals, { recursive: true });
  mkdirSync(paths.journal(1), { recursive: true });
  await load();
  rmSync(paths.journal(1), { recursive: true });
  const lost = { code: 'dataset/damaged', data: { path } };
  await expect(load()).rejects.toMatchObject(lost);
  await write(0, 'main');
  await expect(load()).rejects.toMatchObject(lost);
});

test('a load refuses a file of rows that is not of the dataset: of another row group, or with other rows than its groups have', async () => {
  const segments = [{ firstRow: 0, rows: 2, groupSize: 1 }];
  const load = () => refuseLostFiles(paths, [], { segments, processors: [] });
  const at = (name: string) => join(paths.parquetFiles, name);
  writeFileSync(paths.run, '{}');
  for (const group of [0, 1]) {
    await write(group, 'main');
    const path = at(batchName(group, 'parquet'));
    await new ChecksumLog(paths).add([{ path, sum: { ...sumOf(path), rows: 1 } }]);
  }
  await load();
  for (const name of ['batch_00002.parquet', 'batch_00000-00001.parquet']) {
    copyFileSync(at('batch_00000.parquet'), at(name));
    await expect(load()).rejects.toMatchObject({ code: 'dataset/damaged', data: { path: at(name) } });
    rmSync(at(name));
  }
  rmSync(paths.checksums);
  await load();
  await writeDataFile(at('batch_00001.parquet'), { fields, columns: new Map([['id', [1, 2]]]), rows: 2 });
  await expect(load()).rejects.toMatchObject({ data: { path: at('batch_00001.parquet') } });
});
