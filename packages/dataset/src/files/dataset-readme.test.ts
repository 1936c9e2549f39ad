import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { datasetPaths } from '../dataset-paths.ts';
import { tableName, writeReadme } from './dataset-readme.ts';
import { clearRowlessRun, isRowlessRun } from '../rowless-run.ts';
import { RUN_RECORD_VERSION } from '../run-record.ts';

let folder: string;
let readme: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'readme-'));
  readme = join(folder, 'README.md');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (...processors: readonly (string | null)[]) =>
  writeReadme(
    datasetPaths(folder),
    processors.map((processor) => ({ processor })),
  );
const text = () => readFileSync(readme, 'utf8');

test('declares the records, the dropped columns and the output of each processor as tables of their own', async () => {
  await write(null, 'chat', 'data', 'a*b"');
  expect(/^---\n#[^\n]*\n(configs:\n.*?)\n---\n/s.exec(text())?.[1]?.split('\n')).toEqual([
    'configs:',
    '- config_name: "data"',
    '  data_files:',
    '  - "parquet-files/batch_*"',
    '  default: true',
    '- config_name: "dropped-columns"',
    '  data_files:',
    '  - "dropped-columns-parquet-files/batch_*"',
    '- config_name: "chat"',
    '  data_files:',
    '  - "processors-files/chat/batch_*"',
    '- config_name: "data-processor"',
    '  data_files:',
    '  - "processors-files/data/batch_*"',
    String.raw`- config_name: "a-b\""`,
    '  data_files:',
    String.raw`  - "processors-files/a[*]b\"/batch_*"`,
  ]);
});

test('is written anew for other tables alone, and never over a file of the user', async () => {
  await write();
  const { ino } = statSync(readme);
  await write();
  expect(statSync(readme).ino).toBe(ino);
  await write('chat');
  expect(text()).toContain('"chat"');
  writeFileSync(readme, '# Mine\n');
  await write();
  expect(text()).toBe('# Mine\n');
});

test('a run without rows is cleared with it, but not with a file of the user', async () => {
  await write();
  const paths = datasetPaths(folder);
  writeFileSync(paths.run, JSON.stringify({ version: RUN_RECORD_VERSION }));
  expect(await isRowlessRun(paths)).toBe(true);
  writeFileSync(readme, '# Mine\n');
  expect(await isRowlessRun(paths)).toBe(false);
  await write();
  rmSync(readme);
  await write();
  await clearRowlessRun(paths);
  expect(await isRowlessRun(paths)).toBe(true);
});

test('no two tables share a name, whatever characters they have', () => {
  const taken = new Set(['data']);
  expect(['a/b', 'a:b', 'data'].map((name) => tableName(name, taken))).toEqual([
    'a-b',
    'a-b-processor',
    'data-processor',
  ]);
});

test('a folder in place of the file is left alone', async () => {
  mkdirSync(readme);
  await writeReadme(datasetPaths(folder), []);
  expect(statSync(readme).isDirectory()).toBe(true);
  expect(await isRowlessRun(datasetPaths(folder))).toBe(false);
});
