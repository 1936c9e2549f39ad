import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, type DatasetCreationResults, loadDataset } from 'data-designer';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

const ROWS = 8;
const folder = mkdtempSync(join(tmpdir(), 'damaged-files-'));
const designer = new DataDesigner({ artifactPath: folder, runConfig: { bufferSize: 4, compact: false, seed: 3 } });

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const number = { name: 'number', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 1 } };
const DECLARED = { document: { columns: [number] }, source: 'the test' };

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ['cut off', (path) => truncateSync(path, Math.floor(statSync(path).size * 0.6))],
  ['empty', (path) => truncateSync(path, 0)],
  ['garbage', (path) => writeFileSync(path, Buffer.alloc(2000, 'garbage'))],
  ['text between its marks', (path) => writeFileSync(path, markedGarbage(path))],
];

/** What begins and ends as a file of its format does, and is none. */
function markedGarbage(path: string): string {
  const [begin, end] = path.endsWith('.arrow') ? ['ARROW1\0\0', 'ARROW1'] : ['PAR1', 'PAR1'];
  return `${begin}${'garbage '.repeat(300)}${end}`;
}

const CASES = DAMAGES.flatMap(([what, damage]) =>
  (['parquet', 'arrow'] as const).map((format) => [what, format, damage] as const),
);

let datasets = 0;

/** A dataset, loaded while it was whole, the second file of which is damaged. */
async function damaged(format: 'parquet' | 'arrow', damage: (path: string) => void) {
  const made = await designer.create(DECLARED, { numRecords: ROWS, format, datasetName: `dataset${datasets++}` });
  const rows = await Array.fromAsync(made.records());
  const path = join(made.path, 'parquet-files', `batch_00001.${format}`);
  const before = await loadDataset(made.path);
  damage(path);
  return { path, rows, before };
}

/** The ways in which rows are read, by results that were loaded before. */
function readings(results: DatasetCreationResults): readonly (() => Promise<unknown>)[] {
  const exported = (name: string) => () => results.export(join(folder, name));
  return [
    () => Array.fromAsync(results.records()),
    () => results.toArrow(),
    () => results.loadAnalysis(),
    () => results.displaySampleRecord({ index: ROWS - 1, savePath: join(folder, 'page.html') }),
    ...['rows.jsonl', 'rows.csv', 'rows.parquet', 'rows.arrow'].map(exported),
  ];
}

test.each(CASES)(
  'every reader names a file that is %s (%s) and the remedy',
  { tags: 'long' },
  async (_, format, damage) => {
    const { path, before } = await damaged(format, damage);
    const said = new RegExp(`batch_00001\\.${format}: .+\\. Resume the dataset`);
    const wanted = { code: 'dataset/damaged', data: { path }, message: expect.stringMatching(said) as string };
    for (const read of readings(before)) await expect(read()).rejects.toMatchObject(wanted);
    for (const options of [{}, { unfinished: true }]) {
      await expect(loadDataset(before.path, options)).rejects.toMatchObject(wanted);
    }
    expect(readdirSync(folder).filter((name) => /^(rows|page)/.test(name))).toEqual([]);
  },
);

test.each(['parquet', 'arrow'] as const)(
  'a resume makes the rows of a damaged file again (%s)',
  { tags: 'long' },
  async (format) => {
    for (const [, damage] of DAMAGES) {
      const { rows, before } = await damaged(format, damage);
      const datasetName = before.datasetName;
      const again = await designer.create(DECLARED, { numRecords: ROWS, format, datasetName, resume: 'always' });
      expect(await Array.fromAsync(again.records())).toEqual(rows);
    }
  },
);

test.each(['show', 'export', 'report'])('the command %s names the damaged file', { tags: 'long' }, async (command) => {
  const { path, before } = await damaged('arrow', (file) => truncateSync(file, 100));
  const { code, stderr } = await runCommand([command, before.path]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Error [dataset/damaged]: Cannot read ${path}`)]);
});

test.each([0, 4])(
  'a dataset of format version %i is refused with the file and what to do, and stays as it is',
  async (version) => {
    const { path: folderPath, datasetName } = await designer.create(DECLARED, {
      numRecords: ROWS,
      datasetName: `v${version}`,
    });
    const path = join(folderPath, 'run.json');
    writeFileSync(path, JSON.stringify({ version, plan: {} }));
    const before = readdirSync(folderPath);
    const program = version === 0 ? 'the version of Data Designer that wrote it' : 'a newer version of Data Designer';
    const message = `Cannot read ${path}: its format version is ${version}, and this version of Data Designer reads only version 1. Create a new dataset under another name, or use ${program}.`;
    const refused = { code: 'dataset/other-version', message };
    await expect(loadDataset(folderPath)).rejects.toMatchObject(refused);
    for (const resume of ['always', 'if_possible'] as const) {
      const continued = designer.create(DECLARED, { numRecords: ROWS, datasetName, resume });
      await expect(continued).rejects.toMatchObject(refused);
    }
    const { code, stderr } = await runCommand(['show', folderPath]);
    expect([code, stderr]).toEqual([1, `Error [dataset/other-version]: ${message}\n`]);
    expect(readdirSync(folderPath)).toEqual(before);
  },
);
