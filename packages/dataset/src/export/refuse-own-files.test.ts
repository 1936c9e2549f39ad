import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuseOwnFiles } from './refuse-own-files.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'own-files-'));
  folder = join(parent, 'made');
  mkdirSync(join(folder, 'parquet-files'), { recursive: true });
  writeFileSync(join(folder, 'run.json'), '{}');
  symlinkSync(folder, join(parent, 'link'));
});
afterEach(() => rmSync(parent, { recursive: true }));

test.each([
  'made/run.json',
  'made/parquet-files/',
  'made/parquet-files/new/x.parquet',
  'made/reviews.jsonl',
  'made/../link/run.json',
  'link/seed/',
])('an export to %s is refused', (output) => {
  expect(() => refuseOwnFiles(folder, join(parent, output))).toThrow(/belongs to the dataset that is exported/);
  expect(() => refuseOwnFiles(join(parent, 'link'), join(parent, output))).toThrow(/Cannot write to/);
});

test.each([
  'made/rows.jsonl',
  'made/sft/',
  'run.json',
  'other/run.json',
  'made-2/run.json',
  'made',
  'made/run.json.gz',
])('an export to %s is written', (output) => {
  expect(() => refuseOwnFiles(folder, join(parent, output))).not.toThrow();
});
