import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'check-'));
const dataset = join(folder, 'facts');

const ITEM = 'A train leaves the town at nine and reaches the coast at eleven. How long is the trip?';
const ROWS = [
  { question: 'Why do bees dance?', answer: 'To tell others the way.', score: 5 },
  { question: `So: ${ITEM.toUpperCase()} Explain.`, answer: 'yes', score: 5 },
  { question: 'Who says that a train leaves the town at nine and stops?', answer: 'Two hours.', score: 4 },
  { question: 'What is salt?', answer: 'A train leaves the town at nine and reaches the coast', score: 3 },
];

/** Writes a benchmark file and returns its path. */
function benchmark(name: string, text: string): string {
  mkdirSync(join(folder, 'bench'), { recursive: true });
  writeFileSync(join(folder, 'bench', name), text);
  return join('bench', name);
}

const items = [
  { question: 'Unrelated, but long enough to be an item.', answer: 'yes' },
  { question: ITEM, answer: 'Two hours' },
];
const jsonl = () => benchmark('trains.jsonl', items.map((item) => JSON.stringify(item)).join('\n'));
const csv = () => benchmark('other.csv', 'text,label\n"one two three four five six seven, eight nine",yes\n');

beforeAll(async () => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const config = new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'df', rows: ROWS })
    .addColumn({ name: 'note', columnType: 'expression', expr: 'scored {{ score }}' });
  await designer.create(config, { numRecords: ROWS.length, datasetName: 'facts' });
});

afterAll(() => rmSync(folder, { recursive: true }));

const check = (...args: string[]) => runCommand(['check', dataset, ...args], { cwd: folder });

test('reports the rows that contain benchmark items, and exits with 1', async () => {
  const { code, stdout } = await check('--against', jsonl(), csv());
  expect(stdout).toBe(`bench/trains.jsonl: 2 texts, 1 item touched, 2 rows refused, best share 1.00
  row 1 contains 1.00 of item 1
  row 3 contains 0.61 of item 1
  row 2 contains 0.44 of item 1
bench/other.csv: 1 text, 0 items touched, 0 rows refused, best share 0.00
2 rows of 4 in ${dataset} contain an item of a benchmark. More than the allowed share of 0 (--max-share).
`);
  expect(code).toBe(1);
});

test('prints one JSON object; --max-share allows rows, and --share needs more of an item', async () => {
  const { code, stdout } = await check('--against', jsonl(), '--share', '0.7', '--max-share', '0.25', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    rows: 4,
    refused: 1,
    passed: true,
    benchmarks: [{ file: 'bench/trains.jsonl', texts: 2, touched: 1, refused: 1, best: 1 }],
  });
  expect(code).toBe(0);
});

test('compares the named columns with those of the same names; short items count as a whole', async () => {
  const { stdout } = await check('--against', jsonl(), '--column', 'answer', '--json');
  const { refused, benchmarks } = JSON.parse(stdout) as { refused: number; benchmarks: { examples: unknown[] }[] };
  expect(refused).toBe(2);
  expect(benchmarks[0]?.examples).toEqual([
    { row: 1, item: 0, share: 1 },
    { row: 2, item: 1, share: 1 },
  ]);
});

test('reads all files of a folder, and each file once', async () => {
  jsonl();
  benchmark('second.jsonl', `${JSON.stringify({ text: 'one two three four five six seven eight' })}\n`);
  const { stdout } = await check('--against', 'bench/*.jsonl', 'bench/trains.jsonl', '--json');
  const { benchmarks } = JSON.parse(stdout) as { benchmarks: { file: string }[] };
  expect(benchmarks.map(({ file }) => file)).toEqual(['bench/second.jsonl', 'bench/trains.jsonl']);
});

test.each([
  [['--against', 'bench/none.csv'], 1, /Cannot use the benchmark bench\/none\.csv: .*does not exist/],
  [['--against', 'bench/short.csv'], 1, /bench\/short\.csv: no text of 'a' has 8 words or more\./],
  [['--against', 'bench/trains.jsonl', '--column', 'qestion'], 1, /has no column 'qestion'\. Its columns: question,/],
  [['--against', 'bench/trains.jsonl', '--share', '0'], 2, /a number above 0, and at most 1/],
  [[], 2, /--against/],
])('check %j ends with %i', async (args, expected, message) => {
  jsonl();
  benchmark('short.csv', 'a\noften\nnever\n');
  const { code, stderr } = await check(...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(expected);
});
