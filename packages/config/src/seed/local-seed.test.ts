import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTable } from './local-seed.ts';

/** The program that makes a named pipe. */
const MAKE_PIPE = 'mkfifo';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-seed-'));
  for (const inner of ['parts', 'empty', 'we*ird', 'x.csv']) mkdirSync(join(folder, inner));
  for (const path of [
    'lines.ndjson',
    'lines.ndjson.zst',
    'lines.tsv.gz',
    'keepers.json',
    'Upper.CSV',
    'note.txt',
    'parts/b.csv',
    'parts/a.csv',
    'parts/c.CSV',
    's*r.csv',
  ])
    writeFileSync(join(folder, path), 'a\n1\n');
  writeFileSync(join(folder, 'we*ird', 'd.csv'), 'a\n1\n');
  symlinkSync('keepers.json', join(folder, 'link.json'));
  if (process.platform !== 'win32') execFileSync(MAKE_PIPE, [join(folder, 'pipe.csv')]);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['keepers.json', 'json', ['keepers.json']],
  ['lines.ndjson', 'jsonl', ['lines.ndjson']],
  ['lines.ndjson.zst', 'jsonl', ['lines.ndjson.zst']],
  ['lines.tsv.gz', 'csv', ['lines.tsv.gz']],
  ['./parts/../keepers.json', 'json', ['keepers.json']],
  ['Upper.CSV', 'csv', ['Upper.CSV']],
  ['link.json', 'json', ['link.json']],
  ['parts/*.csv', 'csv', ['parts/a.csv', 'parts/b.csv']],
  ['*.json', 'json', ['keepers.json', 'link.json']],
  ['s*r.csv', 'csv', ['s*r.csv']],
  ['we*ird/*.csv', 'csv', ['we*ird/d.csv']],
])('findTable finds a table at %s', (path, format, files) => {
  expect(findTable(path, folder)).toEqual({ format, files: files.map((file) => join(folder, file)) });
});

test('a path may lead out of the folder', () => {
  expect(findTable('../keepers.json', join(folder, 'parts'))).toHaveProperty('files', [join(folder, 'keepers.json')]);
});

test.each([
  ['keepr.json', 'does not exist', "Did you mean 'keepers.json'?"],
  ['hf://datasets/a/b/*.csv', 'is on the Hugging Face Hub', 'seed_type: hf and path: datasets/a/b/*.csv'],
  ['nothing/at/all.csv', 'does not exist', 'starts from the working folder'],
  ['', 'is a folder', '<folder>/*.csv'],
  ['x.csv', 'is a folder', '<folder>/*.csv'],
  ['pipe.csv', 'is not a regular file', '.parquet'],
  ['parts/a*.csv', 'is not supported', '<folder>/*.csv'],
  ['**/*.csv', 'is not supported', '<folder>/*.csv'],
  ['parts/*.CSV', 'is not supported', '<folder>/*.csv'],
  ['parts/*.txt', 'is not supported', '<folder>/*.csv'],
  ['empty/*.csv', 'contains no file that ends in .csv', 'Correct the path'],
  ['gone/*.csv', 'does not exist', 'Correct the path'],
  ['keepers.json/*.csv', 'does not exist', 'Correct the path'],
  ['keep\0ers.json', 'does not exist', ''],
  [`${'long'.repeat(2000)}.csv`, 'does not exist', ''],
])('findTable reports %o as missing: %s', (path, message, remedy) => {
  expect(findTable(path, folder)).toEqual({
    type: 'seed_path_missing',
    message: expect.stringContaining(message) as string,
    remedy: expect.stringContaining(remedy) as string,
  });
});

test('findTable rejects a file of another format', () => {
  expect(findTable('note.txt', folder)).toMatchObject({ type: 'seed_format_unknown' });
});
