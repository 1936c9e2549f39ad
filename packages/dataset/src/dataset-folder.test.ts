import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataDesignerError, field, Float, isFailure } from '@data-designer/core';
import { FrameBuffer, journalMark } from './journal/journal-file.ts';
import { type DatasetFolder, openDatasetFolder, takeOverFolder } from './dataset-folder.ts';
import { readRunRecord, RUN_RECORD_VERSION } from './run-record.ts';
import { batchPath, writeDataFile } from '../test/data-files.ts';

/** A frame of a journal with an answer. */
function answerFrame(): Buffer {
  const frames = new FrameBuffer();
  const at = { row: 0, column: 'fact', call: 0, resource: 'm', path: 'chat/completions' } as const;
  frames.add({ ...at, request: 'a1', status: 200, headers: {}, body: '{}' });
  return frames.bytes;
}

let artifactPath: string;
beforeEach(async () => {
  artifactPath = join(await mkdtemp(join(tmpdir(), 'dataset-folder-')), 'artifacts');
});
afterEach(() => rm(join(artifactPath, '..'), { recursive: true }));

async function failureOf(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function resume(): Promise<DatasetFolder> {
  return openDatasetFolder({ artifactPath, datasetName: 'dataset', resume: true });
}

const now = () => new Date(2026, 0, 2, 3, 4, 5);

test('two datasets that start at once under one name get different names', async () => {
  const opening = { artifactPath, datasetName: 'facts' };
  const opened = await Promise.all([openDatasetFolder(opening), openDatasetFolder(opening)]);
  expect(new Set(opened.map(({ path }) => path)).size).toBe(2);
  for (const folder of opened) await folder[Symbol.asyncDispose]();
});

test.runIf(process.platform === 'linux')(
  'a path that refuses new folders fails instead of searching forever',
  async () => {
    const opening = openDatasetFolder({ artifactPath: '/proc/not-here', datasetName: 'facts' });
    await expect(opening).rejects.toMatchObject({ code: 'dataset/unwritable' });
  },
);

test('a new folder has the layout of the Python tool and is private to the user', async () => {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  expect(folder.path).toBe(join(artifactPath, 'dataset'));
  expect((await readdir(folder.path)).toSorted()).toEqual([
    '.lock',
    'journal',
    'parquet-files',
    'tmp-partial-parquet-files',
  ]);
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  expect((await stat(folder.paths.journals)).mode & 0o777).toBe(0o700);
  expect(batchPath(folder.paths, 7)).toBe(join(folder.path, 'parquet-files', 'batch_00007.parquet'));
  expect(batchPath(folder.paths, 7, 'arrow')).toBe(join(folder.path, 'parquet-files', 'batch_00007.arrow'));
  expect(folder.paths.journal(0)).toBe(join(folder.path, 'journal', 'group_00000'));
});

test('an existing empty folder is used', async () => {
  await mkdir(join(artifactPath, 'dataset'), { recursive: true });
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  expect(folder.name).toBe('dataset');
});

/** Makes the folder of a run without rows. */
async function failedTry(): Promise<DatasetFolder['paths']> {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  const { paths } = folder;
  await folder.writeRun({ version: RUN_RECORD_VERSION });
  await folder.updateMetadata({ actual_num_records: 0 });
  await writeFile(paths.failures, '{"group":0}\n');
  await writeFile(paths.usage, '{"group":0}\n');
  await mkdir(join(paths.images, 'photo'), { recursive: true });
  await writeFile(join(paths.images, 'photo', '0a1b2c3d-0000-4000-8000-00000000000f.png'), 'picture');
  await mkdir(join(paths.folder, 'seed'));
  await writeFile(join(paths.folder, 'seed', 'part-00000.parquet'), 'rows');
  await mkdir(paths.journal(0));
  await writeFile(join(paths.journal(0), '000001.journal'), journalMark());
  return paths;
}

test('the folder of a run without rows is reused, and its failures are kept', async () => {
  await failedTry();
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  expect([folder.name, folder.isReused, folder.divertedFrom]).toEqual(['dataset', true, undefined]);
  expect((await readdir(folder.path)).toSorted()).toEqual([
    '.lock',
    'failures.previous.jsonl',
    'journal',
    'parquet-files',
    'tmp-partial-parquet-files',
  ]);
  expect(await readFile(folder.paths.failuresBefore, 'utf8')).toBe('{"group":0}\n');
  expect(await readdir(folder.paths.journals)).toEqual([]);
});

test.each<readonly [string, (paths: DatasetFolder['paths']) => Promise<unknown>]>([
  ['while it was cleared', ({ parquetFiles }) => rm(parquetFiles, { recursive: true })],
  [
    'before it had its parts',
    async ({ folder, lock }) => {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      const dead = { pid: 2 ** 22 + 1, host: hostname(), started: '', birth: '', token: '' };
      await writeFile(lock, JSON.stringify(dead));
    },
  ],
])('a folder whose run was killed %s is reused', async (_, kill) => {
  await kill(await failedTry());
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  expect([folder.name, folder.isReused]).toEqual(['dataset', true]);
});

test('a folder is reused while another run requests its lock, whose claim stays', async () => {
  const { lock } = await failedTry();
  const claim = `${lock}.0a1b2c3d-0000-4000-8000-00000000000f`;
  await writeFile(claim, '');
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  expect([folder.name, folder.isReused]).toEqual(['dataset', true]);
  expect(await readdir(folder.path)).toContain(basename(claim));
});

const ROW = { fields: [field('n', 'int64')], columns: new Map([['n', [1]]]), rows: 1 };

test.each<readonly [string, (paths: DatasetFolder['paths']) => Promise<unknown>]>([
  ['a row', (paths) => writeDataFile(batchPath(paths, 0), ROW)],
  ['a damaged file of rows', (paths) => writeFile(batchPath(paths, 0), 'PAR1 and no more')],
  ['an answer', ({ journal }) => appendFile(join(journal(0), '000001.journal'), answerFrame())],
  ['a foreign file', ({ folder }) => writeFile(join(folder, 'notes.txt'), '')],
  ['a foreign picture', ({ images }) => writeFile(join(images, 'photo', 'cat.png'), '')],
  ['a foreign folder', ({ folder }) => mkdir(join(folder, 'mine'))],
  ['a link', ({ folder, run }) => symlink(run, join(folder, 'usage.jsonl.tmp-1-0-0'))],
  ['no record of a run', ({ run }) => rm(run)],
  ['a file that was set aside', (paths) => writeFile(`${batchPath(paths, 0)}.damaged`, '')],
])('a folder with %s is never reused', async (_, add) => {
  const paths = await failedTry();
  await add(paths);
  const before = (await readdir(paths.folder, { recursive: true })).toSorted();
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset', now });
  expect([folder.name, folder.divertedFrom]).toEqual(['dataset_01-02-2026_030405', paths.folder]);
  expect((await readdir(paths.folder, { recursive: true })).toSorted()).toEqual(before);
});

test('a folder with files is left alone: the name gets a timestamp, then a number', async () => {
  const names = [];
  for (let run = 0; run < 3; run++) {
    await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset', now });
    await writeFile(join(folder.path, 'notes.txt'), 'of somebody else');
    names.push(folder.name);
  }
  expect(names).toEqual(['dataset', 'dataset_01-02-2026_030405', 'dataset_01-02-2026_030405_2']);
});

test.each(['', '  ', 'a/b', 'a\\b', 'a:b', 'what?', '*', '"x"', '<x>', 'a|b', '.', '..', 'a\nb', 'a\0b'])(
  'the name %j is rejected before anything is created',
  async (datasetName) => {
    const error = await failureOf(openDatasetFolder({ artifactPath, datasetName }));
    expect(error).toMatchObject({ code: 'config/invalid' });
    expect((error as Error).message).toContain(JSON.stringify(datasetName));
    expect(await failureOf(stat(artifactPath))).toMatchObject({ code: 'ENOENT' });
  },
);

test('an artifact path that is a file is dataset/unwritable', async () => {
  await writeFile(artifactPath, '');
  const error = await failureOf(openDatasetFolder({ artifactPath, datasetName: 'dataset' }));
  expect(isFailure(error, 'dataset/unwritable') && error.data).toEqual({
    path: join(artifactPath, 'dataset'),
    reason: 'a part of the path is a file, not a folder',
  });
});

describe('resuming', () => {
  test('continues in the same folder and clears unfinished files on request', async () => {
    const first = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
    await writeFile(join(first.paths.partialFiles, 'batch_00003.parquet'), 'half');
    await writeFile(batchPath(first.paths, 1), 'whole');
    await writeFile(`${first.paths.metadata}.tmp-1-0-0`, 'half');
    await writeFile(`${first.paths.journal(3)}.tmp-1-0-0`, 'half');
    const picture = join(first.paths.images, 'picture');
    await mkdir(picture, { recursive: true });
    await writeFile(join(picture, 'a.png'), 'whole');
    await writeFile(join(first.paths.images, 'note.txt'), 'of a user');
    await writeFile(join(picture, 'b.png.tmp-1-0-0'), 'half');
    await mkdir(first.paths.journal(4));
    await writeFile(join(first.paths.journal(4), '000001.journal'), 'kept');
    await first[Symbol.asyncDispose]();
    await using folder = await resume();
    expect(folder.path).toBe(first.path);
    expect(await readdir(folder.paths.partialFiles)).toEqual(['batch_00003.parquet']);
    await folder.clearUnfinished();
    expect(await readdir(folder.paths.partialFiles)).toEqual([]);
    expect((await readdir(folder.path)).toSorted()).toEqual([
      '.lock',
      'images',
      'journal',
      'parquet-files',
      'tmp-partial-parquet-files',
    ]);
    expect(await readdir(picture)).toEqual(['a.png']);
    expect(await readdir(folder.paths.journals)).toEqual([basename(folder.paths.journal(4))]);
    expect(await folder.batches()).toEqual([{ first: 1, last: 1, path: batchPath(folder.paths, 1) }]);
  });

  test('fails with dataset/missing if there is no dataset', async () => {
    const error = await failureOf(resume());
    expect((error as Error).message).toBe(
      `There is no dataset in ${join(artifactPath, 'dataset')} that could be continued. To begin one, leave out --resume always, or use --resume if_possible.`,
    );
  });

  test('rejects a dataset that another run writes', async () => {
    await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
    expect(await failureOf(resume())).toMatchObject({ code: 'dataset/locked' });
  });
});

test('metadata.json has sorted keys and an indent of 2, and changes are merged into it', async () => {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  expect(await folder.readMetadata()).toBeUndefined();
  await folder.updateMetadata({
    target_num_records: 10,
    file_paths: { 'processor-files': {}, 'parquet-files': ['parquet-files/batch_00000.parquet'] },
    from_another_tool: true,
  });
  await folder.updateMetadata({ buffer_size: 1000, column_statistics: [{ mean: new Float(1) }] });
  expect(await readFile(folder.paths.metadata, 'utf8')).toBe(`{
  "buffer_size": 1000,
  "column_statistics": [
    {
      "mean": 1.0
    }
  ],
  "file_paths": {
    "parquet-files": [
      "parquet-files/batch_00000.parquet"
    ],
    "processor-files": {}
  },
  "from_another_tool": true,
  "target_num_records": 10
}
`);
  expect((await stat(folder.paths.metadata)).mode & 0o777).toBe(0o600);
});

test('a metadata.json that is not JSON is dataset/damaged', async () => {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  await writeFile(folder.paths.metadata, '{"target');
  expect(await failureOf(folder.readMetadata())).toMatchObject({ code: 'dataset/damaged' });
});

test('work that fails after another machine has taken the folder over tells that instead, but a stop stays one', async () => {
  const cluster = 'a-run';
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset', clusterRun: cluster });
  const unwritable = new DataDesignerError('dataset/unwritable', { path: folder.path, reason: 'by a test' });
  const stopped = new DataDesignerError('run/aborted', { reason: 'by a test' });
  const failing = (failure: unknown) => failureOf(folder.whileHeld(() => Promise.reject(failure)));
  expect(await failing(unwritable)).toBe(unwritable);
  await using _ = await takeOverFolder(folder.path, cluster);
  expect(await failing(unwritable)).toMatchObject({ code: 'cluster/taken-over', cause: unwritable });
  expect(await failing(stopped)).toBe(stopped);
  expect(await folder.whileHeld(() => Promise.resolve('done'))).toBe('done');
});

test('work that fails since the folder is gone says so, with a remedy', async () => {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  const unwritable = new DataDesignerError('dataset/unwritable', { path: folder.paths.usage, reason: 'by a test' });
  await rm(folder.path, { recursive: true });
  await expect(folder.whileHeld(() => Promise.reject(unwritable))).rejects.toThrow(
    `Cannot write to ${folder.path}: the folder was removed or moved during the run. Move it back and resume (--resume always), or start the run again.`,
  );
});

test('run.json is read back unchanged', async () => {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  const plan = { seed: 2 ** 53 - 1, segments: [{ firstRow: 0, rows: 10, groupSize: 5 }], columns: [], models: {} };
  const run = { version: RUN_RECORD_VERSION, format: 'parquet', plan, tools: { z: [], a: [] }, tables: [] };
  await folder.writeRun(run);
  expect(JSON.stringify(await readRunRecord(folder.paths))).toBe(JSON.stringify(run));
});

test('batch files are listed in order of their groups, without other files', async () => {
  await using folder = await openDatasetFolder({ artifactPath, datasetName: 'dataset' });
  for (const name of [
    'batch_100000.parquet',
    'batch_00002.parquet',
    'batch_00010.arrow',
    'note.txt',
    'batch_x.parquet',
  ]) {
    await writeFile(join(folder.paths.parquetFiles, name), '');
  }
  expect((await folder.batches()).map(({ first }) => first)).toEqual([2, 10, 100_000]);
});
