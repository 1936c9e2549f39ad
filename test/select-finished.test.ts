import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner, loadDataset, selectDataset } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetPaths, readBatch, readSelection, readSideRows, SelectionLog } from '@data-designer/dataset';
import { selectDataset as selectFromSource } from '../packages/results/src/select-dataset.ts';
import { fileSystem, replaceFiles } from '../packages/dataset/src/files/files.ts';
import { runCommand } from './command-line.ts';

const ROWS = 3000;
const RULES = {
  where: 'n >= 500',
  unique: [{ exact: ['text'] }],
  balance: { column: 'topic', maxShare: 0.4 },
  maxCandidates: ROWS,
};
const IMAGE = 'images/picture/0b0e6d6c-8c8b-4b52-9d25-3f4ad0a6d0e1.png';

const COLUMNS = [
  { name: 'n', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1000, decimal_places: 0 } },
  { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['tea', 'salt', 'rope'] } },
  { name: 'hidden', column_type: 'sampler', sampler_type: 'category', params: { values: ['a', 'b'] }, drop: true },
  { name: 'text', column_type: 'expression', expr: '{{ topic }} {{ n // 4 }}' },
  { name: 'half', column_type: 'expression', expr: '{{ n / 2 }}', dtype: 'float' },
  { name: 'picture', column_type: 'expression', expr: `{% if n >= 990 %}${IMAGE}{% else %}none{% endif %}` },
];
const PROCESSORS = [{ processor_type: 'schema_transform', name: 'chats', template: { question: '{{ text }}' } }];

let folder: string;
let source: string;
let designer: DataDesigner;
let before: ReadonlyMap<string, string>;

type Record = Readonly<{ n: number; topic: string; text: string; half: number }>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'select-finished-'));
  designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 9, bufferSize: 700 } });
  const document = { columns: COLUMNS, processors: PROCESSORS };
  source = (await designer.create({ document, source: 'the test' }, { numRecords: ROWS, datasetName: 'source' })).path;
  cpSync(fileURLToPath(new URL('../docs/preview.svg', import.meta.url)), join(source, IMAGE));
  before = contentOf(source);
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The hashes of all files in a folder. */
function contentOf(path: string): ReadonlyMap<string, string> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(path, name)).isFile());
  return new Map(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(path, name)))
        .digest('hex'),
    ]),
  );
}

async function rowsOf(path: string): Promise<readonly Record[]> {
  return Array.fromAsync((await loadDataset<Record>(path)).records());
}

async function select(datasetName: string, options: Parameters<typeof selectDataset>[1] = {}) {
  const results = await selectDataset<Record>(source, { artifactPath: folder, datasetName, ...options });
  return { results, rows: await rowsOf(results.path) };
}

test('a finished dataset gives the rows that a run with the same rules makes, and stays as it is', async () => {
  const { results, rows } = await select('selected', { select: RULES, numRecords: 300 });
  const document = { columns: COLUMNS, processors: PROCESSORS, select: RULES };
  const run = await designer.create({ document, source: 'the test' }, { numRecords: 300, datasetName: 'made' });
  expect(rows).toEqual(await rowsOf(run.path));
  expect(results).toMatchObject({ count: 300, requested: 300, ended: null, usage: {} });
  expect(await readSelection(datasetPaths(results.path).metadata)).toMatchObject({ source, accepted: 300 });
  expect(contentOf(source)).toEqual(before);
});

test('rules read dropped columns, and side tables and images follow their rows', { tags: 'long' }, async () => {
  const { results, rows } = await select('whole', { select: { where: "hidden == 'a' and half >= 480.5" } });
  const { path } = results;
  const dropped = await Array.fromAsync(readSideRows(path, { processor: null }));
  expect(dropped).toEqual(rows.map(() => ({ hidden: 'a' })));
  const chats = await Array.fromAsync(results.loadProcessorDataset('chats'));
  expect(chats).toEqual(rows.map(({ text }) => ({ question: text })));
  expect(Math.min(...rows.map(({ n }) => n))).toBeGreaterThanOrEqual(961);
  expect(readFileSync(join(path, IMAGE))).toEqual(readFileSync(join(source, IMAGE)));
  expect(readdirSync(join(path, 'tmp-partial-parquet-files'))).toEqual([]);
});

test(
  'all accepted rows are taken unless a number is given, and refused ones are kept with their reasons',
  { tags: 'long' },
  async () => {
    const { rows, results } = await select('rejected', { select: { ...RULES, keepRejected: true } });
    const files = readdirSync(join(results.path, 'rejected')).toSorted();
    const refused = [];
    for (const name of files) refused.push(...(await Array.fromAsync(readBatch(join(results.path, 'rejected', name)))));
    expect(rows.length + refused.length).toBe(ROWS);
    expect(results.lost.map(({ code }) => code)).toEqual(['select/refused', 'select/duplicate', 'select/balance']);
    const reasons = refused.map(({ _reason: reason }) => (typeof reason === 'string' ? reason : ''));
    const first = reasons.findIndex((reason) => reason.startsWith('duplicate'));
    const [, at] = /^duplicate of row (\d+) \(1\.00\)$/.exec(reasons[first] ?? '') ?? [];
    const duplicate = refused[first];
    expect(duplicate?.['text']).toBe(rows[Number(at)]?.text);
    const lines = [...(await new SelectionLog(datasetPaths(results.path)).read()).values()];
    expect(lines.flatMap((line) => line.refused.map(({ reason }) => reason))).toEqual(reasons);
    const all = await rowsOf(source);
    expect(all[lines.flatMap((line) => line.refused)[first]?.row ?? -1]).toMatchObject({ n: Number(duplicate?.['n']) });
  },
);

test(
  'a second selection under the same name gets a name with the time, and one of a selection works',
  { tags: 'long' },
  async () => {
    const first = await select('again', { select: { where: 'n > 900' } });
    const second = await select('again', { select: { where: 'n > 950' } });
    expect(second.results.divertedFrom).toBe(first.results.path);
    const third = await selectDataset(first.results.path, { artifactPath: folder, select: { where: 'n > 950' } });
    expect(third.path).toBe(join(folder, 'again-selected'));
    expect(await rowsOf(third.path)).toEqual(second.rows);
  },
);

test('no rows can be added to a selection', { tags: 'long' }, async () => {
  const { path } = await selectDataset(source, { artifactPath: folder, datasetName: 'closed', numRecords: 10 });
  const document = { columns: COLUMNS, processors: PROCESSORS };
  const more = designer.create(
    { document, source: 'the test' },
    { numRecords: 20, datasetName: 'closed', resume: 'always' },
  );
  await expect(more).rejects.toMatchObject({ code: 'dataset/incompatible', message: expect.stringContaining(source) });
  expect(await rowsOf(path)).toHaveLength(10);
});

test(
  'a stopped selection leaves no dataset, and a killed one leaves its name to the next',
  { tags: 'long' },
  async () => {
    const stop = new AbortController();
    const killed = join(folder, 'killed');
    using _ = replaceFiles({
      ...fileSystem,
      async rename(from, to) {
        await fileSystem.rename(from, to);
        if (!/selected.parquet-files.batch_00000/.test(to)) return;
        cpSync(join(folder, 'stopped'), killed, { recursive: true, filter: (name) => !name.includes('.lock') });
        stop.abort();
      },
    });
    const stopped = selectFromSource(source, { artifactPath: folder, datasetName: 'stopped', signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
    expect(existsSync(join(folder, 'stopped'))).toBe(false);
    expect(existsSync(join(killed, 'tmp-partial-parquet-files', 'selected', 'parquet-files'))).toBe(true);
    await expect(loadDataset(killed)).rejects.toMatchObject({ code: 'dataset/unfinished' });
    const next = await select('killed', { numRecords: 5 });
    expect(next.results).toMatchObject({ path: killed, divertedFrom: null, count: 5 });
  },
);

test('images are copied where the file system has no hard links', { tags: 'long' }, async () => {
  using _ = replaceFiles({
    ...fileSystem,
    async link(from, to) {
      if (from.endsWith('.png')) throw Object.assign(new Error('another device'), { code: 'EXDEV' });
      await fileSystem.link(from, to);
    },
  });
  const rules = { where: 'n >= 990' };
  const results = await selectFromSource(source, { artifactPath: folder, datasetName: 'copied', select: rules });
  expect(readFileSync(join(results.path, IMAGE))).toEqual(readFileSync(join(source, IMAGE)));
});

test('a dataset of the Python tool is selected from, and keeps its types', async () => {
  const python = fileURLToPath(new URL('fixtures/python-0.9.7/made', import.meta.url));
  const from = contentOf(python);
  const all = await rowsOf(python);
  const results = await selectDataset(python, { artifactPath: folder, datasetName: 'of-python', numRecords: 2 });
  expect(await rowsOf(results.path)).toMatchObject(all.slice(0, 2));
  expect(contentOf(python)).toEqual(from);
});

test('a row for which the condition fails is refused, and the reason is counted', { tags: 'long' }, async () => {
  const { results } = await select('failing', { select: { where: '100 // (n % 2) > 0' } });
  expect(results.lost).toMatchObject([{ code: 'template/record', column: '_select_where' }]);
  expect((await rowsOf(results.path)).every(({ n }) => n % 2 === 1)).toBe(true);
});

test('the command writes a dataset that show, report and export read', { tags: 'long' }, async () => {
  const rules = join(folder, 'rules.yaml');
  writeFileSync(rules, 'where: n >= 500\nunique:\n  - exact: [text]\n');
  const bench = join(folder, 'bench.jsonl');
  writeFileSync(bench, JSON.stringify({ question: 'a b c d e f g h i' }));
  const words = ['select', source, '-o', folder, '-d', 'by-command', '--rules', rules, '--balance', 'topic:0.4'];
  const made = await runCommand([...words, '--not-in', bench, '--column', 'text', '-n', '300', '--json']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const path = join(folder, 'by-command');
  expect(JSON.parse(made.stdout)).toMatchObject({ path, records: 300, source, ended: null });
  const { rows } = await select('by-code', { select: RULES, numRecords: 300 });
  expect(await rowsOf(path)).toEqual(rows);
  expect((await runCommand(['show', path, '--json'])).stdout).toContain('"total": 300');
  const { stdout: report } = await runCommand(['report', path]);
  expect(report).toMatch(/Selection\ncandidates +accepted +share\n[\d,]+ +300 /);
  expect(report).toMatch(/\d+ +An earlier row has the same text in column 'text'\./);
  expect((await runCommand(['export', path])).stdout.trim().split('\n')).toHaveLength(300);
});

test(
  'with too few rows the command saves them and exits with 1; without any it writes nothing',
  { tags: 'long' },
  async () => {
    const args = ['select', source, '-o', folder, '--where', 'n >= 990', '-n', '2000'];
    const few = await runCommand([...args, '-d', 'few']);
    expect(few).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Warning \[select\/too-few\]: Only \d+ of 2000/) as string,
    });
    expect((await rowsOf(join(folder, 'few'))).every(({ n }) => n >= 990)).toBe(true);
    const none = await runCommand(['select', source, '-o', folder, '-d', 'none', '--where', 'n > 1000']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('None of the 3000 rows') as string });
    expect(existsSync(join(folder, 'none'))).toBe(false);
  },
);

test('mistakes in the rules are found before anything is written', async () => {
  const rules = join(folder, 'wrong.yaml');
  writeFileSync(rules, 'unique:\n  - exact: [text]\nwhere: m >= 4\n');
  const wrong = await runCommand(['select', source, '-o', folder, '-d', 'wrong', '--rules', rules]);
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${rules}:3:8: select.where: there is no column`) as string,
  });
  const flags = ['--where', 'm > 4', '--exact', 'txt', '--embedding', 'text:0.9', '--unique-against', 'elsewhere'];
  const more = await runCommand(['select', source, '-o', folder, '-d', 'wrong', ...flags]);
  expect(more.stderr).toContain("select.where: there is no column 'm'");
  expect(more.stderr).toContain("select.unique[0].exact[0]: there is no column 'txt'. Did you mean 'text'?");
  expect(more.stderr).toContain("select.unique[1].embedding: the column 'text' holds no embeddings");
  expect(more.stderr).toContain('select.unique_against[0]: there is no dataset in');
  expect(existsSync(join(folder, 'wrong'))).toBe(false);
  expect(await runCommand(['select', source, '--not-in', 'x.csv'])).toMatchObject({ code: 2 });
  expect(await runCommand(['select', source, '--balance', 'topic'])).toMatchObject({ code: 2 });
});

test('the report shows the shares of sampled categories before and after', { tags: 'long' }, async () => {
  const { results } = await select('shares', { select: { where: "topic != 'rope' or n < 100" } });
  const { profile } = await results.loadAnalysis();
  const [topic] = profile.selection?.shares ?? [];
  const all = Object.groupBy(await rowsOf(source), (row) => row.topic);
  const accepted = Object.groupBy(await rowsOf(results.path), (row) => row.topic);
  expect(profile.selection?.shares).toHaveLength(1);
  expect(topic?.values.map(({ value }) => value).toSorted()).toEqual(['rope', 'salt', 'tea']);
  for (const { value, before: first, after } of topic?.values ?? []) {
    expect(first).toBeCloseTo((all[value]?.length ?? 0) / ROWS, 10);
    expect(after).toBeCloseTo((accepted[value]?.length ?? 0) / results.count, 10);
  }
  const analysis = await (await loadDataset(results.path)).loadAnalysis();
  expect(await analysis.toReport({ savePath: join(folder, 'shares.html') })).toContain('<h2>Selection</h2>');
});
