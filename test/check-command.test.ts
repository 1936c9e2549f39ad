import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, loadDataset } from 'data-designer';
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

const ASKED = { role: 'user', content: 'Find the first one.' };
const ANSWER = { role: 'assistant', content: 'It is number one, as far as I can see in the list.' };
const call = (name: string) => ({
  ...ANSWER,
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
});
const CHATS = [
  { chat: [ASKED, ANSWER], offered: ['find'], number: 1 },
  {
    chat: [ASKED, call('seek'), { role: 'tool', content: 'one', tool_call_id: 'c' }, ANSWER],
    offered: ['find'],
    number: 2,
  },
  { chat: [ASKED, call('find'), { ...ANSWER, content: 'It is one.<|im_end|>' }], offered: ['find'], number: 3 },
];

/** A dataset with conversations of its seed and traces of a model, and a verdict on the former. */
function chats(): DataDesignerConfigBuilder {
  return new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'df', rows: CHATS })
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'] })
    .addColumn({
      name: 'fact',
      columnType: 'llm-text',
      modelAlias: 'writer',
      toolAlias: 'facts',
      withTrace: true,
      prompt: 'A fact about the number {{ number }}.',
    })
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['chat', 'fact__trace'],
      validatorType: 'trajectory',
      validatorParams: { toolAlias: 'facts' },
    });
}

beforeAll(async () => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const config = new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'df', rows: ROWS })
    .addColumn({ name: 'note', columnType: 'expression', expr: 'scored {{ score }}' });
  await designer.create(config, { numRecords: ROWS.length, datasetName: 'facts' });
  await designer.create(chats(), { numRecords: CHATS.length, datasetName: 'chats' });
});

afterAll(() => rmSync(folder, { recursive: true }));

const check = (...args: string[]) => runCommand(['check', dataset, ...args], { cwd: folder });

test('reports the rows that contain benchmark items, and exits with 3', async () => {
  const { code, stdout } = await check('--against', jsonl(), csv());
  expect(stdout).toBe(`bench/trains.jsonl: 2 texts, 1 item touched, 2 rows refused, best share 1.00
  row 1 contains 1.00 of item 1
  row 3 contains 0.61 of item 1
  row 2 contains 0.44 of item 1
bench/other.csv: 1 text, 0 items touched, 0 rows refused, best share 0.00
2 rows of 4 in ${dataset} contain an item of a benchmark. More than the allowed share of 0 (--max-share).
`);
  expect(code).toBe(3);
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

const checkChats = (...args: string[]) => runCommand(['check', join(folder, 'chats'), ...args], { cwd: folder });

test('reports the faults of conversations with row, column and message, and exits with 3', async () => {
  const { code, stdout } = await checkChats('--trajectories', '--tools', 'offered', '--column', 'chat');
  expect(stdout).toBe(`row 1, chat, message 1: unknown_tool: it calls the tool 'seek', which is not offered
row 2, chat, message 1: missing_result: its call of 'find' has no result
row 2, chat, message 2: raw_markup: its text holds tokens of a chat template
3 findings in 2 rows of 3, in 3 conversations of ${join(folder, 'chats')}. More than the allowed share of 0 (--max-share).
  unknown_tool: 1
  missing_result: 1
  raw_markup: 1
`);
  expect(code).toBe(3);
});

test('checks all columns with messages, those of models against their tools; --ignore and --max-share', async () => {
  const { code, stdout } = await checkChats('--trajectories', '--ignore', 'raw_markup', '--max-share', '0.4', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    trajectories: {
      rows: 3,
      conversations: 6,
      faultyRows: 1,
      passed: true,
      kinds: { missing_result: 1 },
      findings: [{ row: 2, column: 'chat', message: 1, kind: 'missing_result' }],
    },
  });
  expect(code).toBe(0);
});

test('the validator gave the same verdicts while the dataset was made', async () => {
  const results = await loadDataset<{ verdict: Record<'chat' | 'fact__trace', { is_valid: boolean }> }>(
    join(folder, 'chats'),
  );
  const verdicts = await Array.fromAsync(results.records(), ({ verdict }) => verdict);
  expect(verdicts.map(({ chat, fact__trace: trace }) => [chat.is_valid, trace.is_valid])).toEqual([
    [true, true],
    [false, true],
    [false, true],
  ]);
});

test.each([
  [['--against', 'bench/none.csv'], 1, /Cannot use the benchmark bench\/none\.csv: .*does not exist/],
  [['--against', 'bench/short.csv'], 1, /bench\/short\.csv: no text of 'a' has 8 words or more\./],
  [['--against', 'bench/trains.jsonl', '--column', 'qestion'], 1, /has no column 'qestion'\. Its columns: question,/],
  [['--against', 'bench/trains.jsonl', '--share', '0'], 2, /a number above 0, and at most 1/],
  [[], 2, /--against, or .* --trajectories/],
  [['--trajectories'], 1, /contains no conversations: no column holds a list of messages/],
  [['--trajectories', '--tools', 'offerd'], 1, /has no column 'offerd'/],
  [['--trajectories', '--ignore', 'no_answr'], 2, /--ignore does not know 'no_answr'\. Did you mean 'no_answer'/],
  [['--trajectories', '--language', 'xx'], 2, /--language does not know 'xx'/],
])('check %j ends with %i', async (args, expected, message) => {
  jsonl();
  benchmark('short.csv', 'a\noften\nnever\n');
  const { code, stderr } = await check(...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(expected);
});
