import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatasetPaths, datasetPaths } from './dataset-paths.ts';
import { hasRunRecord, readRunRecord, restoreRunRecord, RUN_RECORD_VERSION, writeRunRecord } from './run-record.ts';

const PLAN = { seed: 7, identity: 'one', columns: [], models: {}, segments: [] };
const RECORD = { version: RUN_RECORD_VERSION, format: 'parquet', tools: {}, plan: PLAN, tables: [] };
const RESTORED = expect.objectContaining({ plan: expect.objectContaining({ seed: 7 }) as unknown }) as unknown;

let paths: DatasetPaths;
beforeEach(async () => {
  paths = datasetPaths(mkdtempSync(join(tmpdir(), 'run-record-')));
  await writeRunRecord(paths, RECORD);
});
afterEach(() => rmSync(paths.folder, { recursive: true }));

const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));
const UNUSABLE: readonly (readonly [string, (path: string) => void, string])[] = [
  ['missing', (path) => rmSync(path), 'it is not there'],
  ['empty', (path) => writeFileSync(path, ''), 'Unexpected end of JSON input'],
  ['truncated', (path) => truncateSync(path, 100), 'JSON'],
  ['an empty object', (path) => writeFileSync(path, '{}'), 'it is not the record of a run'],
  ['a list', (path) => writeFileSync(path, '[]'), 'it contains no JSON object'],
  [
    'without a plan',
    (path) => writeFileSync(path, JSON.stringify({ ...RECORD, plan: undefined })),
    'it is not the record of a run',
  ],
];

test.each(UNUSABLE)('a run.json that is %s is read and restored from its copy', async (_, damage, reason) => {
  const before = readFileSync(paths.run, 'utf8');
  damage(paths.run);
  expect(await readRunRecord(paths)).toEqual(RESTORED);
  expect(await restoreRunRecord(paths)).toEqual({
    path: paths.run,
    from: 'run.copy.json',
    reason: expect.stringContaining(reason) as unknown,
  });
  expect(readFileSync(paths.run, 'utf8')).toBe(before);
  expect(await restoreRunRecord(paths)).toBeUndefined();
});

test.each(UNUSABLE)('a run.json that is %s without a copy is named, with a remedy', async (_, damage, reason) => {
  damage(paths.run);
  rmSync(paths.runCopy);
  await expect(readRunRecord(paths)).rejects.toThrow(`Cannot read ${paths.run}: `);
  await expect(readRunRecord(paths)).rejects.toThrow(reason);
  await expect(restoreRunRecord(paths)).rejects.toThrow('Restore the file from a copy');
});

test.each([
  ['a seed', (text: string) => text.replace('"seed": 7', '"seed": 8')],
  ['a space', (text: string) => text.replace('"seed": 7', '"seed":  7')],
  ['another order', (text: string) => JSON.stringify({ plan: PLAN, ...(JSON.parse(text) as object) })],
])('a run.json in which %s was changed is refused, and deleting it restores it', async (_, change) => {
  edit(paths.run, change);
  await expect(readRunRecord(paths)).rejects.toThrow(
    `Cannot read ${paths.run}: its content differs from the checksum in it, so that the next rows would not fit the others. Delete it, and resume the dataset (--resume always): that restores it from run.copy.json.`,
  );
  await expect(restoreRunRecord(paths)).rejects.toMatchObject({ code: 'dataset/damaged' });
  rmSync(paths.run);
  expect(hasRunRecord(paths)).toBe(true);
  await restoreRunRecord(paths);
  expect(await readRunRecord(paths)).toEqual(RESTORED);
});

test('a changed copy restores nothing', async () => {
  edit(paths.runCopy, (text) => text.replace('"seed": 7', '"seed": 8'));
  expect(await readRunRecord(paths)).toEqual(RESTORED);
  const before = readFileSync(paths.run);
  rmSync(paths.run);
  await expect(readRunRecord(paths)).rejects.toThrow('it is not there');
  writeFileSync(paths.run, before);
  expect(await restoreRunRecord(paths)).toBeUndefined();
  expect(readFileSync(paths.runCopy)).toEqual(before);
});

test('a run.json of another run is refused, and an older copy of this one is not', async () => {
  const copy = readFileSync(paths.runCopy);
  await writeRunRecord(paths, { ...RECORD, plan: { ...PLAN, seed: 8 } });
  writeFileSync(paths.runCopy, copy);
  await expect(readRunRecord(paths)).rejects.toThrow('are of different runs');
  await writeRunRecord(paths, { ...RECORD, plan: { ...PLAN, segments: [{ firstRow: 0, rows: 5, groupSize: 5 }] } });
  writeFileSync(paths.runCopy, copy);
  expect((await readRunRecord(paths)).plan.segments).toHaveLength(1);
  expect(existsSync(paths.runCopy)).toBe(true);
});

test.each([
  [0, 'the version of Data Designer that wrote it'],
  [4, 'a newer version of Data Designer'],
])('version %i is named as such, with a remedy, also where a copy could be read', async (version, program) => {
  writeFileSync(paths.run, JSON.stringify({ version }));
  await expect(readRunRecord(paths)).rejects.toMatchObject({
    code: 'dataset/other-version',
    message: `Cannot read ${paths.run}: its format version is ${version}, and this version of Data Designer reads only version 1. Create a new dataset under another name, or use ${program}.`,
  });
});

test.each([2, 3])('version %i is named as one of before 1.0.0, which no newer program reads', async (version) => {
  writeFileSync(paths.run, JSON.stringify({ version }));
  await expect(readRunRecord(paths)).rejects.toMatchObject({
    code: 'dataset/other-version',
    message: `Cannot read ${paths.run}: a version before 1.0.0 wrote it, and later ones do not read its format ${version}. Create a new dataset under another name.`,
  });
});
