import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDesignerError, field } from '@data-designer/core';
import { EXPORT_FORMATS, exportFormatOf } from '../formats/formats.ts';
import { exportRows, writeText } from './export-rows.ts';
import { discardUnfinished, stage } from '../files/commit-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-records-'));
});
afterEach(() => rm(folder, { recursive: true }));

const COUNT = 5000;

/** More text than the write buffer holds. */
async function* lines(letter: string): AsyncGenerator<string> {
  for (let line = 0; line < COUNT; line++) yield `${letter.repeat(30)}é\n`;
}

test('simultaneous exports to one path leave one complete file', async () => {
  const path = join(folder, 'out.jsonl');
  await Promise.all(['a', 'b', 'c', 'd'].map((letter) => writeText(lines(letter), path)));
  expect(await readdir(folder)).toEqual(['out.jsonl']);
  const written = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(written).toHaveLength(COUNT);
  expect(new Set(written).size).toBe(1);
});

test('a failed export throws the error of its pieces and leaves the earlier file', async () => {
  const path = join(folder, 'out.jsonl');
  await writeText(lines('a'), path);
  const damaged = new DataDesignerError('dataset/damaged', { path: folder, reason: 'made so' });
  const failing = async function* () {
    yield* lines('b');
    throw damaged;
  };
  await expect(writeText(failing(), path)).rejects.toBe(damaged);
  expect(await readdir(folder)).toEqual(['out.jsonl']);
  expect((await readFile(path, 'utf8')).slice(0, 1)).toBe('a');
});

test('a process that ends can remove its unfinished files at once', async () => {
  const seen: string[][] = [];
  const stopped = async function* () {
    yield* lines('a');
    seen.push(await readdir(folder));
    discardUnfinished();
    seen.push(await readdir(folder));
  };
  const path = join(folder, 'out.jsonl');
  await expect(writeText(stopped(), path)).rejects.toMatchObject({ code: 'dataset/unwritable' });
  expect(seen).toEqual([[expect.stringMatching(/^out\.jsonl\.tmp-/)], []]);
});

test.each(['out.txt', 'out', 'jsonl', 'out.jsonl.gz'])(
  'the error for the name %s lists the formats and a remedy',
  (path) => {
    expect(() => exportFormatOf(path)).toThrow(
      `${path} does not end in a known format (.${EXPORT_FORMATS.join(', .')}). Change the file name or choose a format.`,
    );
    expect(() => exportFormatOf(path)).toThrow(expect.objectContaining({ code: 'dataset/no-format' }) as Error);
  },
);

test('file extensions are case-insensitive', () => {
  expect(['a.jsonl', 'a.CSV', 'a.b.Parquet', 'a.arrow'].map(exportFormatOf)).toEqual([
    'jsonl',
    'csv',
    'parquet',
    'arrow',
  ]);
});

const FORMULAS = ['=1+1', '+49 30', '-2', '@SUM(A1)', '\tx', '\rx', '＝1', 'a=1', ' =1', "'=1", ''];

/** The file of rows with these texts. */
function sheet(name: string, texts: readonly string[]): string {
  return stringify([[name, 'n', 'list'], ...texts.map((text) => [text, '-2.5', '["=1"]'])]);
}

test('texts that a spreadsheet would run begin with an apostrophe in CSV, and numbers stay', async () => {
  const records = async function* () {
    for (const text of FORMULAS) yield { '=name': text, n: -2.5, list: ['=1'] };
  };
  const fields = [field('=name', 'utf8'), field('n', 'float64'), field('list', { list: 'utf8' })];
  const path = join(folder, 'out.csv');
  let told = 0;
  const written = async (escape?: boolean) => {
    await exportRows({ records: records(), fields }, path, { format: 'csv', escape, onEscape: () => void told++ });
    return readFile(path, 'utf8');
  };
  const escaped = FORMULAS.map((text, index) => (index < 7 ? `'${text}` : text));
  expect(await written()).toBe(sheet("'=name", escaped));
  expect(told).toBe(8);
  expect(await written(false)).toBe(sheet('=name', FORMULAS));
  expect(told).toBe(8);
});

test('an export removes what killed exports left next to it, and nothing of a living process or another host', async () => {
  const { temporary } = await stage(join(folder, 'rows.csv'), 'half');
  const own = temporary.slice(folder.length + 1);
  // No process has an id above 2^22.
  const dead = own.replace(/tmp-\d+-/, 'tmp-99999999-');
  const elsewhere = dead.replace(/-[\da-f]+$/, '-0');
  for (const name of [dead, elsewhere, 'rows.csv.tmp-1']) await writeFile(join(folder, name), 'half');
  await writeText(['text'], join(folder, 'out.txt'));
  expect((await readdir(folder)).toSorted()).toEqual([elsewhere, own, 'rows.csv.tmp-1', 'out.txt'].toSorted());
});
