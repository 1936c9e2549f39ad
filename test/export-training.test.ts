import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import {
  DataDesigner,
  type DatasetCreationResults,
  defineTool,
  type ExportedTraining,
  type ExportOptions,
} from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from './command-line.ts';

const ROWS = 300;
const folder = mkdtempSync(join(tmpdir(), 'training-'));
const out = (name: string) => join(folder, name);
let chats: DatasetCreationResults;
let pairs: DatasetCreationResults;

function message(role: string, content: string | null, more: object = {}) {
  return { role, content, reasoning_content: null, tool_calls: null, tool_call_id: null, content_parts: null, ...more };
}

/** Three kinds of conversations: every tenth has reasoning, every 60th (from 5) ends with the user. */
function recorded(row: number): object {
  const question = message('user', `Question ${row}?`);
  const more = row % 10 === 0 ? { reasoning_content: `Thought ${row}` } : {};
  const messages = row % 60 === 5 ? [question] : [question, message('assistant', `Answer ${row}.`, more)];
  return {
    topic: `topic ${row % 20}`,
    question: `Q${row}`,
    expected: String(row),
    level: row % 3,
    note: null,
    messages,
  };
}

beforeAll(async () => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const seed = out('recorded.jsonl');
  writeFileSync(seed, Array.from({ length: ROWS }, (_, row) => JSON.stringify(recorded(row))).join('\n'));
  const columns = [{ name: 'upper', column_type: 'expression', expr: '{{ question | upper }}' }];
  const seeded = { columns, seed_config: { source: { seed_type: 'local', path: seed } } };
  const source = 'test';
  chats = await designer.create({ document: seeded, source }, { numRecords: ROWS, datasetName: 'chats' });
  const document = {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
    columns: [
      { name: 'task', column_type: 'sampler', sampler_type: 'category', params: { values: ['tea', 'salt'] } },
      {
        name: 'draft',
        column_type: 'llm-text',
        model_alias: 'writer',
        with_trace: 'all_messages',
        system_prompt: 'Be kind.',
        prompt: 'Write about {{ task }}.',
      },
    ],
    attempts: [{ name: 'drafts', columns: ['draft'], keep: { pair: 'draft | length' }, max: 3 }],
  };
  pairs = await designer.create({ document, source }, { numRecords: 6, datasetName: 'pairs' });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

type Line = Readonly<Record<string, unknown>>;

function linesOf(text: string): readonly Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const linesIn = (path: string) => linesOf(readFileSync(path, 'utf8'));

async function exportTo(name: string, options: ExportOptions, made = chats): Promise<ExportedTraining> {
  let exported: ExportedTraining | undefined;
  await made.export(out(name), { ...options, onExported: (done) => (exported = done) });
  return exported!;
}

const CHATS = { column: 'messages', format: 'trl-sft' } as const;
/** The number of the row that a conversation of the seed came from. */
const rowOf = ({ messages }: Line) => Number(/\d+/.exec((messages as readonly { content: string }[])[0]!.content)![0]);

test('reasoning that a format lacks is refused before a file is there, and lossy leaves it out and counts', async () => {
  const wanted = { column: 'messages', format: 'openai-ft' } as const;
  await expect(chats.export(out('ft.jsonl'), wanted)).rejects.toMatchObject({
    code: 'dataset/not-expressible',
    data: { found: [{ what: 'reasoning', examples: 30, row: 0 }], onlyReasoning: true },
  });
  expect(readdirSync(folder).filter((name) => name.startsWith('ft'))).toEqual([]);
  const { examples, leftOut, withoutReasoning } = await exportTo('ft.jsonl', { ...wanted, lossy: true });
  expect({ examples, leftOut, withoutReasoning }).toEqual({
    examples: 295,
    leftOut: { 'no answer at the end': 5 },
    withoutReasoning: 30,
  });
  expect(readFileSync(out('ft.jsonl'), 'utf8')).not.toContain('Thought');
  expect(linesIn(out('ft.jsonl'))).toHaveLength(295);
  // What is not asked for need not be left out.
  const asked = await exportTo('ft.jsonl', { ...wanted, reasoning: false });
  expect(asked).toMatchObject({ examples: 295, withoutReasoning: 0 });
});

test('the command line refuses, counts and prints in the same way', { tags: 'long' }, async () => {
  const flags = ['export', chats.path, '-f', 'openai-ft', '--column', 'messages'];
  const refused = await runCommand(flags);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('30 with reasoning (the first in row 0)');
  expect(refused.stderr).toContain('--lossy');
  const printed = await runCommand([...flags, '--lossy']);
  expect(linesOf(printed.stdout)).toHaveLength(295);
  expect(printed.stderr).toContain('left out: 5 with no answer at the end');
  expect(printed.stderr).toContain('30 of 295 conversations are written without their reasoning');
  const json = await runCommand([...flags, '--lossy', '--json', '-o', out('cli.jsonl')]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    output: out('cli.jsonl'),
    conversations: 295,
    left_out: 5,
    without_reasoning: 30,
    files: [{ path: out('cli.jsonl'), examples: 295 }],
  });
});

test('standard output has no line where a later row is refused', async () => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const seed = out('late.jsonl');
  writeFileSync(seed, [8, 9, 10].map((row) => JSON.stringify(recorded(row))).join('\n'));
  const columns = [{ name: 'upper', column_type: 'expression', expr: '{{ question | upper }}' }];
  const document = { columns, seed_config: { source: { seed_type: 'local', path: seed } } };
  const late = await designer.create({ document, source: 'test' }, { numRecords: 3, datasetName: 'late' });
  const refused = await runCommand(['export', late.path, '-f', 'openai-ft', '--column', 'messages']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('1 with reasoning (the first in row 2)');
});

test('a split keeps groups together, and further rows move none', async () => {
  const split = { train: 0.7, test: 0.3 };
  const { files, examples } = await exportTo('split/', { ...CHATS, split, splitBy: 'topic' });
  expect(files.map(({ path, split: part }) => [path, part])).toEqual(
    expect.arrayContaining([
      [out('split/train.jsonl'), 'train'],
      [out('split/test.jsonl'), 'test'],
    ]),
  );
  const topics = ['train', 'test'].map(
    (part) => new Set(linesIn(out(`split/${part}.jsonl`)).map((line) => rowOf(line) % 20)),
  );
  expect(topics[0]!.intersection(topics[1]!).size).toBe(0);
  expect(topics[0]!.union(topics[1]!).size).toBe(20);
  expect(files.reduce((sum, file) => sum + file.examples, 0)).toBe(examples);
  // Ten rows of the same seed are in the same parts.
  await using designer = new DataDesigner({ artifactPath: folder });
  const columns = [{ name: 'upper', column_type: 'expression', expr: '{{ question | upper }}' }];
  const document = { columns, seed_config: { source: { seed_type: 'local', path: out('recorded.jsonl') } } };
  const few = await designer.create({ document, source: 'test' }, { numRecords: 60, datasetName: 'few' });
  await exportTo('few-parts/', { ...CHATS, split, splitBy: 'topic' }, few);
  for (const part of ['train', 'test']) {
    const all = new Set(linesIn(out(`split/${part}.jsonl`)).map(rowOf));
    for (const line of linesIn(out(`few-parts/${part}.jsonl`))) expect(all).toContain(rowOf(line));
  }
});

test('shares are about those asked for where prompts differ', async () => {
  const { files } = await exportTo('shares.jsonl', { ...CHATS, split: { train: 0.8, valid: 0.1, test: 0.1 } });
  const counts = Object.fromEntries(files.map(({ split, examples }) => [split, examples]));
  expect(counts['train']).toBeGreaterThan(205);
  expect(counts['train']).toBeLessThan(265);
  expect(counts['valid']! + counts['test']!).toBe(295 - counts['train']!);
  expect(files.map(({ path }) => path)).toContain(out('shares-valid.jsonl'));
});

/** Ten different prompts, of which each has ten answers. */
async function repeatedPrompts(): Promise<DatasetCreationResults> {
  await using designer = new DataDesigner({ artifactPath: folder });
  const seed = out('repeated.jsonl');
  const rows = Array.from({ length: 100 }, (_, row) => ({
    messages: [message('user', `Question ${row % 10}?`), message('assistant', `Answer ${row}.`)],
    answer: `Answer ${row}.`,
  }));
  writeFileSync(seed, rows.map((row) => JSON.stringify(row)).join('\n'));
  const columns = [{ name: 'upper', column_type: 'expression', expr: '{{ answer | upper }}' }];
  const document = { columns, seed_config: { source: { seed_type: 'local', path: seed } } };
  return designer.create({ document, source: 'test' }, { numRecords: 100, datasetName: 'repeated' });
}

test('equal prompts are in one part, and shares that this moves are told of, as are prompts in two parts', async () => {
  const made = await repeatedPrompts();
  const split = { train: 0.7, test: 0.3 };
  const kept = await exportTo('kept/', { ...CHATS, split }, made);
  expect(kept).toMatchObject({ examples: 100, prompts: 10, sharedPrompts: 0 });
  const questions = ['train', 'test'].map((part) => new Set(linesIn(out(`kept/${part}.jsonl`)).map(rowOf)));
  expect(questions.map(({ size }) => size)).not.toContain(0);
  expect(questions[0]!.intersection(questions[1]!).size).toBe(0);
  const torn = await exportTo('torn/', { ...CHATS, split, splitBy: 'answer' }, made);
  expect(torn).toMatchObject({ examples: 100, prompts: 10 });
  expect(torn.sharedPrompts).toBeGreaterThan(8);
  const flags = ['export', made.path, '-f', 'trl-sft', '--column', 'messages', '-o', `${out('told')}/`];
  const few = await runCommand([...flags, '--split', 'train=0.98,test=0.02', '--json']);
  expect(JSON.parse(few.stdout)).toMatchObject({ prompts: 10, shared_prompts: 0 });
  expect(few.stderr).toContain(
    "the part 'test' has no conversations, and so no file: equal prompts are in one part, and 100 conversations have 10 different prompts. To group them otherwise, name a column with --split-by. Use --split train=",
  );
  const many = await runCommand([...flags, '--split', 'train=0.01,test=0.99']);
  expect(many.stderr).toContain("the part 'train' has ");
  const leaking = await runCommand([...flags, '--split', 'train=0.7,test=0.3', '--split-by', 'answer']);
  expect(leaking.stderr).toMatch(
    /Warning: \d+ of 10 prompts are in more than one part\. Leave out --split-by to keep equal prompts in one part\./,
  );
});

function asking(name: string, prompt: string) {
  return { name, column_type: 'llm-text', model_alias: 'writer', with_trace: 'all_messages', prompt };
}

test(
  'a row with several conversations is in the part of its first, and equal prompts of others are counted',
  { tags: 'long' },
  async () => {
    await using designer = new DataDesigner({ artifactPath: folder });
    const document = {
      model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
      columns: [
        { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
        asking('fact', 'Tell of {{ id }}.'),
        asking('greeting', 'Say hello.'),
      ],
    };
    const made = await designer.create({ document, source: 'test' }, { numRecords: 20, datasetName: 'two' });
    const flags = ['export', made.path, '-f', 'trl-sft', '--split', 'train=0.5,test=0.5', '-o', `${out('two-parts')}/`];
    const { stderr } = await runCommand(flags);
    expect(stderr).toMatch(/^train: \d+ of 40 conversations \(\d+ %\), test: \d+ \(\d+ %\)\nWarning: [^\n]+\n$/);
    expect(stderr).toContain(
      'Warning: 1 of 21 prompts is in more than one part. Export one column with --column, so that its prompts alone choose the part.\n',
    );
    expect((await runCommand([...flags, '--column', 'fact'])).stderr).not.toContain('Warning');
  },
);

test('a part without rows is told, and a file of it that was there before is removed', async () => {
  const flags = ['export', chats.path, '-f', 'trl-sft', '--column', 'messages', '-o', `${out('halves')}/`];
  await runCommand([...flags, '--split', 'train=0.5,test=0.5']);
  expect(readdirSync(out('halves')).toSorted()).toEqual(['test.jsonl', 'train.jsonl']);
  const { code, stderr } = await runCommand([...flags, '--split', 'train=0.9999,test=0.0001']);
  expect([code, stderr]).toEqual([0, expect.stringContaining("the part 'test' has no conversations, and so no file")]);
  expect(stderr).toContain(
    'a hash of its prompt chooses the part of each row, and none falls into the share of 0.01 %',
  );
  expect(readdirSync(out('halves'))).toEqual(['train.jsonl']);
  const [, remedy = ''] =
    /Use --split (\S+), which makes parts of [\d,]+ and [\d,]+(?: \(and a warning like this one\))?, or more rows\./.exec(
      stderr,
    ) ?? [];
  const filled = await runCommand([...flags, '--split', remedy]);
  expect([filled.code, filled.stderr]).toEqual([0, expect.not.stringContaining('has no conversations')]);
  expect(readdirSync(out('halves')).toSorted()).toEqual(['test.jsonl', 'train.jsonl']);
});

test('a mapping of which no row fits says so', async () => {
  const flags = ['-f', 'trl-sft', '--map', 'prompt=question,completion=note'];
  const { code, stderr } = await runCommand(['export', chats.path, ...flags]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/300 with no value of completion .*\. Choose other columns or other limits\.$/m),
  ]);
});

test('values of columns and of their members are added to each example', async () => {
  const add = { topic: 'topic', thought: 'messages', size: 'level' };
  const { examples } = await exportTo('added.jsonl', { ...CHATS, add });
  const lines = linesIn(out('added.jsonl'));
  expect(lines).toHaveLength(examples);
  for (const line of lines) {
    const row = rowOf(line);
    expect(line).toMatchObject({ topic: `topic ${row % 20}`, size: row % 3, thought: [{ role: 'user' }, {}] });
  }
  const flags = ['export', pairs.path, '-f', 'trl-preference'];
  const { stdout } = await runCommand([...flags, '--add', 'task,first=drafts__chosen.draft']);
  for (const line of linesOf(stdout)) {
    expect(line['task']).toMatch(/^(?:tea|salt)$/);
    expect(line['first']).toBe((line['chosen'] as readonly { content: string }[])[0]!.content);
  }
});

test.each([
  [{ add: { a: 'nothing' } }, "has no column 'nothing'"],
  [{ add: { a: 'topic.first' } }, "'topic' has no member 'first'. It has no members."],
  [{ split: { a: 1 }, splitBy: 'topic.first' }, "'topic' has no member 'first'"],
  [{ add: { text: 'topic' } }, "add adds 'text', which readers of trl-sft read as something else."],
  [{ add: { n: 'topic' }, tokenCounts: 'n' }, "add adds 'n', which another option adds too."],
  [{ format: 'openai-ft', add: { n: 'topic' } }, 'add cannot be used with openai-ft'],
  [{ column: 'topic' }, "The column 'topic' of"],
] as const)('%j is refused', async (options, reason) => {
  const refused: unknown = await chats
    .export(out('failed.jsonl'), { ...CHATS, ...options })
    .catch((thrown: unknown) => thrown);
  expect(String(refused)).toContain(reason);
});

test('conversations and their tools go with the rows that another dataset or stage adds columns to', async () => {
  const shout = defineTool({
    name: 'shout',
    description: 'Says a word loudly.',
    parameters: z.object({ word: z.string() }),
    execute: ({ word }) => Promise.resolve({ said: word.toUpperCase() }),
  });
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { tools: [{ name: 'own', providerType: 'local', tools: [shout] }] },
  });
  const model_configs = [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }];
  const asked = {
    model_configs,
    tool_configs: [{ tool_alias: 'words', providers: ['own'] }],
    columns: [
      { name: 'task', column_type: 'sampler', sampler_type: 'category', params: { values: ['tea', 'salt'] } },
      {
        name: 'answer',
        column_type: 'llm-text',
        model_alias: 'writer',
        tool_alias: 'words',
        with_trace: 'all_messages',
        prompt: 'Use the tool shout with {{ task }}.',
      },
    ],
  };
  const columns = [{ name: 'title', column_type: 'expression', expr: '{{ task | upper }}' }];
  const first = await designer.create({ document: asked, source: 'asked' }, { numRecords: 6, datasetName: 'asked' });
  const source = { seed_type: 'dataset', path: first.path };
  const titled = { document: { columns, seed_config: { source } }, source: 'titled' };
  const second = await designer.create(titled, { numRecords: 6, datasetName: 'titled' });
  const again = { document: { columns, seed_config: { source: { ...source, path: second.path } } }, source: 'again' };
  const renamed = { ...again, document: { ...again.document, columns: [{ ...columns[0], name: 'name' }] } };
  const third = await designer.create(renamed, { numRecords: 6, datasetName: 'named' });
  const workflow = designer
    .composeWorkflow('both')
    .addStage('asked', { document: asked, source: 'asked' }, { rows: 6 })
    .addStage('titled', { document: { columns }, source: 'titled' });
  const { stageResults } = await workflow.run();
  const staged = stageResults.get('titled')!;
  await exportTo('first.jsonl', { format: 'trl-sft', add: { task: 'task' } }, first);
  const lines = linesIn(out('first.jsonl'));
  expect(lines[0]).toMatchObject({ tools: expect.stringContaining('shout') as string });
  expect(JSON.stringify(lines)).toContain('tool_calls');
  for (const made of [second, third, staged]) {
    for (const column of [undefined, 'answer', 'answer__trace']) {
      await exportTo('again.jsonl', { format: 'trl-sft', add: { task: 'task' }, ...(column && { column }) }, made);
      const found = linesIn(out('again.jsonl'));
      expect(found.map(({ tools }) => tools)).toEqual(lines.map(({ tools }) => tools));
      // The stage made conversations of its own.
      expect(made === staged || isDeepStrictEqual(found, lines)).toBe(true);
    }
    const report = await runCommand(['check', '--trajectories', made.path, '--json']);
    expect(JSON.parse(report.stdout)).toMatchObject({ trajectories: { kinds: {}, conversations: 6 } });
  }
  await designer.create(titled, { numRecords: 6, datasetName: 'titled', resume: 'always' });
  // The files of rows are a seed without the record beside them.
  cpSync(first.path, out('torn'), { recursive: true });
  for (const name of readdirSync(out('torn')).filter((one) => one.startsWith('run.')))
    writeFileSync(join(out('torn'), name), '{');
  const rows = { seed_type: 'local', path: join(out('torn'), 'parquet-files', '*.parquet') };
  const untold = { document: { columns, seed_config: { source: rows } }, source: 'rows' };
  expect((await designer.create(untold, { numRecords: 6, datasetName: 'of-files' })).count).toBe(6);
  await expect(second.export(out('none.jsonl'), { format: 'trl-sft', column: 'task' })).rejects.toMatchObject({
    data: { remedy: expect.stringContaining('Columns with conversations: answer.') as string },
  });
});

test('a column without conversations is told from one that is not there', async () => {
  const flags = ['export', pairs.path, '-f', 'trl-sft', '--column'];
  expect((await runCommand([...flags, 'task'])).stderr).toContain(
    "contains no conversations: it does not store complete conversations. Columns with conversations: draft. To add the value of 'task' to each of theirs, use --add task, in code { add }.",
  );
  expect((await runCommand([...flags, 'tasks'])).stderr).toContain(
    'contains no conversations: there is no such column. Columns with conversations: draft.\n',
  );
});

test(
  'the rows that a judge rates well are selected and exported with their scores, as the guide shows',
  { tags: 'long' },
  async () => {
    const guide = readFileSync(join(import.meta.dirname, '../docs/guide/training-data.md'), 'utf8');
    const section = guide.slice(guide.indexOf('### With the score of a judge'));
    const [, config = ''] = /```yaml\n([^`]*)```/.exec(section) ?? [];
    const [, commands = ''] = /```sh\n([^`]*)```/.exec(section) ?? [];
    const cwd = mkdtempSync(out('guide-'));
    writeFileSync(join(cwd, 'facts.yaml'), config);
    for (const line of commands.trimEnd().split('\n')) {
      const words = line.match(/"[^"]*"|\S+/g) ?? [];
      const args = words.slice(2).map((word) => word.replaceAll('"', ''));
      expect(await runCommand(args, { cwd })).toMatchObject({ code: 0 });
    }
    const lines = linesIn(join(cwd, 'good.jsonl'));
    expect(lines.length).toBeGreaterThan(100);
    const scores = new Set(lines.map((line) => line['score']));
    expect([...scores].filter((score) => score !== 2 && score !== 3)).toEqual([]);
  },
);

test('a seed shuffles all lines in the same order each time', async () => {
  await exportTo('plain.jsonl', CHATS);
  await exportTo('first.jsonl', { ...CHATS, shuffle: 7 });
  await exportTo('second.jsonl', { ...CHATS, shuffle: 7 });
  await exportTo('other.jsonl', { ...CHATS, shuffle: 8 });
  const [plain, first, second, other] = ['plain', 'first', 'second', 'other'].map((name) =>
    readFileSync(out(`${name}.jsonl`), 'utf8'),
  );
  expect(first).toBe(second);
  expect(first).not.toBe(other);
  expect(first).not.toBe(plain);
  expect(first!.split('\n').toSorted()).toEqual(plain!.split('\n').toSorted());
});

test('the shards of a split are listed by part, and share all lines of a shuffled export', async () => {
  const drawn = { ...CHATS, lossy: true, split: { train: 0.8, test: 0.2 }, shuffle: 3, shardSize: 20_000 };
  const { files } = await exportTo('drawn.jsonl', drawn);
  const parts = files.map(({ split }) => split);
  expect(parts).toEqual(parts.toSorted((a, b) => Number(a === 'test') - Number(b === 'test')));
  expect(parts.filter((part) => part === 'train').length).toBeGreaterThan(1);
  const order = files.flatMap(({ path }) => linesIn(path).map(rowOf));
  const kept = Array.from({ length: ROWS }, (_, row) => row).filter((row) => row % 60 !== 5);
  expect(order).not.toEqual(kept);
  expect(order.toSorted((a, b) => a - b)).toEqual(kept);
});

test('shards are counted in their names, and a later export replaces them', async () => {
  const { files } = await exportTo('shards/', { ...CHATS, shardSize: 8000 });
  const names = files.map(({ path }) => path.slice(out('shards/').length));
  expect(names.length).toBeGreaterThan(3);
  expect(names[0]).toBe(`train-00000-of-${String(names.length).padStart(5, '0')}.jsonl`);
  const all = files.flatMap(({ path }) => linesIn(path));
  expect(all.map(rowOf)).toEqual(linesIn(out('plain.jsonl')).map(rowOf));
  writeFileSync(out('shards/train-notes-of-mine.txt'), 'kept');
  const fewer = await exportTo('shards/', { ...CHATS, shardSize: 20_000 });
  expect(readdirSync(out('shards')).toSorted()).toEqual(
    [...fewer.files.map(({ path }) => path.slice(out('shards/').length)), 'train-notes-of-mine.txt'].toSorted(),
  );
});

test('one file takes the place of shards, and other files of lines in the folder are refused', async () => {
  await exportTo('again/', { ...CHATS, shardSize: 8000 });
  await exportTo('again/', CHATS);
  expect(readdirSync(out('again'))).toEqual(['train.jsonl']);
  await exportTo('again/', { ...CHATS, shardSize: 50_000 });
  expect(readdirSync(out('again'))).toEqual(['train-00000-of-00001.jsonl']);
  // Loaders would read a test part of before as that of this export.
  writeFileSync(out('again/test.jsonl.gz'), '');
  await expect(chats.export(out('again/'), CHATS)).rejects.toThrow(/test\.jsonl\.gz, which loaders/);
  expect(readdirSync(out('again')).toSorted()).toEqual(['test.jsonl.gz', 'train-00000-of-00001.jsonl']);
  await expect(chats.export(`${out('plain.jsonl')}/`, CHATS)).rejects.toMatchObject({ code: 'dataset/unwritable' });
});

test.each([
  ['gz', zlib.gunzipSync],
  ['zst', zlib.zstdDecompressSync],
] as const)('a file named .%s is compressed', async (extension, read) => {
  await exportTo(`packed.jsonl.${extension}`, CHATS);
  const text = read(readFileSync(out(`packed.jsonl.${extension}`))).toString();
  expect(text).toBe(readFileSync(out('plain.jsonl'), 'utf8'));
});

test('columns are mapped to the parts of tasks, pairs and conversations', async () => {
  const map = { prompt: 'question', answer: 'expected', 'info.level': 'level' };
  await exportTo('tasks.jsonl', { format: 'nemo-gym', map });
  expect(linesIn(out('tasks.jsonl'))[4]).toEqual({
    responses_create_params: { input: [{ type: 'message', role: 'user', content: 'Q4' }] },
    expected_answer: '4',
    level: 1,
  });
  await exportTo('mapped.jsonl', {
    format: 'trl-preference',
    map: { prompt: 'question', chosen: 'upper', rejected: 'topic' },
  });
  expect(linesIn(out('mapped.jsonl'))[4]).toEqual({
    prompt: [{ role: 'user', content: 'Q4' }],
    chosen: [{ role: 'assistant', content: 'Q4' }],
    rejected: [{ role: 'assistant', content: 'topic 4' }],
  });
  const flags = ['-f', 'trl-sft', '--map', 'prompt=question,completion=expected,system=topic'];
  const { stdout } = await runCommand(['export', chats.path, ...flags]);
  expect(linesOf(stdout)[4]).toEqual({
    messages: [
      { role: 'system', content: 'topic 4' },
      { role: 'user', content: 'Q4' },
      { role: 'assistant', content: '4' },
    ],
  });
});

test('equal sides of mapped pairs are left out, and messages keep their reasoning', async () => {
  const flags = ['-f', 'trl-preference', '--map', 'prompt=question,chosen=upper,rejected=question'];
  // The seed has its questions in capitals already.
  const { code, stderr } = await runCommand(['export', chats.path, ...flags]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('300 with two equal answers')]);
  await exportTo('thoughts.jsonl', { format: 'trl-sft', map: { messages: 'messages', system: 'topic' } });
  expect(linesIn(out('thoughts.jsonl'))[0]).toEqual({
    messages: [
      { role: 'system', content: 'topic 0' },
      { role: 'user', content: 'Question 0?' },
      { role: 'assistant', content: 'Answer 0.', reasoning_content: 'Thought 0' },
    ],
  });
});

test('pairs of attempts share their prompt', async () => {
  const { examples } = await exportTo('pairs.jsonl', { format: 'trl-preference' }, pairs);
  expect(examples).toBe(6);
  const rows = await Array.fromAsync(pairs.records());
  for (const [index, line] of linesIn(out('pairs.jsonl')).entries()) {
    const row = rows[index] as Record<'drafts__chosen' | 'drafts__rejected', { draft: string }> & { task: string };
    expect(line).toEqual({
      prompt: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: `Write about ${row.task}.` },
      ],
      chosen: [{ role: 'assistant', content: row.drafts__chosen.draft }],
      rejected: [{ role: 'assistant', content: row.drafts__rejected.draft }],
    });
  }
  const map = { prompt: 'task', chosen: 'drafts__chosen.draft', rejected: 'drafts__rejected.draft' };
  await exportTo('members.jsonl', { format: 'openai-preference', map }, pairs);
  expect(linesIn(out('members.jsonl')).map((line) => line['preferred_output'])).toEqual(
    linesIn(out('pairs.jsonl')).map((line) => line['chosen']),
  );
});

test.each([
  [['-f', 'trl-sft', '--map', 'prompt=question'], /--map for trl-sft must name messages or prompt, completion/],
  [['-f', 'trl-sft', '--map', 'prompt=question,answer=x'], /has no part 'answer'/],
  [['-f', 'nemo-gym', '--map', 'prompt=question', '--column', 'messages'], /--column cannot be combined/],
  [['-f', 'trl-sft', '--map', 'prompt'], /not NAME=VALUE/],
  [['-f', 'trl-sft', '--split', 'train=0.9', '-o', 'x.jsonl'], /must make 1/],
  [['-f', 'trl-sft', '--split', 'train=1.5', '-o', 'x.jsonl'], /a share is greater than 0/],
  [['-f', 'trl-sft', '--split', '../x=0.5,b=0.5', '-o', 'x.jsonl'], /has a part '..\/x'/],
  [['-f', 'trl-sft', '--split', 'a=0.5,b=0.5'], /--split needs -o FILE/],
  [['-f', 'trl-sft', '--split-by', 'topic', '-o', 'x.jsonl'], /--split-by needs a split/],
  [['-f', 'trl-sft', '--shuffle', '-1', '-o', 'x.jsonl'], /A seed is a whole number/],
  [['-f', 'trl-sft', '--shard-size', '5 apples', '-o', 'x.jsonl'], /A size is a number of bytes/],
  [['-f', 'csv', '--lossy'], /--lossy needs a format of training data/],
  [['-f', 'jsonl', '-o', 'x.jsonl.gz'], /names a compressed file/],
  [['-f', 'csv', '-o', 'x.jsonl'], /-o x\.jsonl ends with \.jsonl, but the format is csv: correct one of them/],
])('%j is a usage error', async (flags, reason) => {
  const { code, stderr } = await runCommand(['export', chats.path, ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
});

test.each([
  [{ format: 'trl-sft', map: { prompt: 'nothing', completion: 'topic' } }, 'dataset/no-column'],
  [{ ...CHATS, split: { a: 1 }, splitBy: 'nothing' }, 'dataset/no-column'],
  [{ format: 'trl-sft', map: { messages: 'topic' } }, 'dataset/no-chats'],
  [{ ...CHATS, tokenCounts: 'messages' }, 'config/invalid'],
  [{ ...CHATS, format: 'sharegpt', tokenCounts: 'system' }, 'dataset/not-expressible'],
  [{ format: 'trl-preference', column: 'messages' }, 'dataset/no-chats'],
  [{ format: 'trl-sft', map: { prompt: 'question', completion: 'upper', tools: 'topic' } }, 'dataset/no-chats'],
] as const)('%j fails with %s and leaves no file', async (options, code) => {
  await expect(chats.export(out('failed.jsonl'), options as ExportOptions)).rejects.toMatchObject({ code });
  expect(readdirSync(folder).filter((name) => name.startsWith('failed'))).toEqual([]);
});

test('examples are counted in tokens, and too long and too short ones are left out', async () => {
  const { examples, leftOut } = await exportTo('tokens.jsonl', { ...CHATS, tokenCounts: 'n', minTokens: 9 });
  const lines = linesIn(out('tokens.jsonl'));
  expect(lines).toHaveLength(examples);
  for (const line of lines) {
    const messages = line['messages'] as readonly { content: string; reasoning_content?: string }[];
    const texts = messages.flatMap(({ content, reasoning_content: thought = '' }) => [content, thought]);
    expect(line['n']).toBe(texts.reduce((sum, text) => sum + countO200k(text), 0));
    expect(line['n']).toBeGreaterThanOrEqual(9);
  }
  expect(leftOut['fewer than 9 tokens']).toBe(295 - examples);
  const most = await exportTo('most.jsonl', { ...CHATS, maxTokens: 8 });
  expect(most.examples).toBe(295 - examples);
});

test('a tokenizer.json of Hugging Face counts tokens', async () => {
  const vocab = Object.fromEntries(['[UNK]', 'Question', 'Answer', '.', '?'].map((word, id) => [word, id]));
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  };
  writeFileSync(out('tokenizer.json'), JSON.stringify(tokenizer));
  await exportTo('words.jsonl', { ...CHATS, reasoning: false, tokenCounts: 'words', tokenizer: out('tokenizer.json') });
  // Question, number, mark; answer, number, dot.
  expect(new Set(linesIn(out('words.jsonl')).map((line) => line['words']))).toEqual(new Set([6]));
  const limits = { ...CHATS, reasoning: false, tokenizer: out('tokenizer.json') };
  expect(await exportTo('least.jsonl', { ...limits, minTokens: 6, maxTokens: 6 })).toMatchObject({ examples: 295 });
  await expect(chats.export(out('least.jsonl'), { ...limits, minTokens: 7 })).rejects.toThrow(/fewer than 7 tokens/);
  for (const path of [out('recorded.jsonl'), out('nothing.json'), folder.replace('training', 'nowhere')]) {
    const options = { ...CHATS, maxTokens: 9, tokenizer: path };
    await expect(chats.export(out('failed.jsonl'), options)).rejects.toMatchObject({ code: 'dataset/no-tokenizer' });
  }
});

test('provenance names the row, the models, the config and the version, the same in each export', async () => {
  const flags = ['-f', 'trl-preference', '--provenance', '--license', 'CC-BY-4.0'];
  const { stdout } = await runCommand(['export', pairs.path, ...flags]);
  const again = await exportTo(
    'provenance.jsonl',
    { format: 'trl-preference', provenance: true, license: 'CC-BY-4.0' },
    pairs,
  );
  expect(readFileSync(out('provenance.jsonl'), 'utf8')).toBe(stdout);
  expect(again.examples).toBe(6);
  const known = linesOf(stdout).map((line) => line['provenance'] as Line);
  expect(known[2]).toEqual({
    uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    dataset: 'pairs',
    row: 2,
    models: ['sim-small'],
    protocols: ['openai'],
    temperatures: { writer: null },
    config: expect.stringMatching(/^sha256:[\da-f]{64}$/),
    generator: expect.stringMatching(/^data-designer \d+\.\d+/),
    license: 'CC-BY-4.0',
    attempts: { drafts: 3 },
  });
  expect(new Set(known.map(({ uuid }) => uuid)).size).toBe(6);
});

test.each([
  ['ordered', null, 9],
  ['ordered', { start: 2, end: 6 }, 9],
  ['shuffle', null, 310],
  ['shuffle', { start: 2, end: 6 }, 9],
  ['shuffle', { index: 1, num_partitions: 7 }, 60],
] as const)(
  'provenance names the seed row of %s rows in %j, also behind lost rows and in a longer run',
  { tags: 'long' },
  async (order, selection, rows) => {
    await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 4, bufferSize: 4 } });
    const seed = { source: { seed_type: 'local', path: out('recorded.jsonl') }, sampling_strategy: order };
    const document = {
      seed_config: { ...seed, selection_strategy: selection },
      // Rows of level 2 are lost.
      columns: [
        { name: 'number', column_type: 'expression', expr: '{{ level if level < 2 else "no" }}', dtype: 'int' },
      ],
    };
    const datasetName = `seeded-${order}-${JSON.stringify(selection).length}`;
    const known = async (numRecords: number) => {
      const resume = numRecords === rows ? 'never' : 'always';
      const made = await designer.create({ document, source: 'test' }, { numRecords, datasetName, resume });
      await made.export(out('seeded.jsonl'), { format: 'trl-sft', column: 'messages', provenance: true, lossy: true });
      return linesOf(readFileSync(out('seeded.jsonl'), 'utf8'));
    };
    const first = await known(rows);
    const lines = await known(rows + 11);
    expect(first.length).toBeGreaterThan(4);
    expect(lines.slice(0, first.length)).toEqual(first);
    for (const line of lines) {
      const [{ content }] = line['messages'] as readonly [{ readonly content: string }];
      expect(content).toBe(`Question ${String((line['provenance'] as Line)['seed_row'])}?`);
    }
    const ids = lines.map((line) => (line['provenance'] as Line)['uuid']);
    expect(new Set(ids).size).toBe(lines.length);
  },
);

test.each([
  [['-f', 'openai-ft', '--provenance'], /--provenance cannot be used with openai-ft/],
  [['-f', 'atif', '--token-counts', 'n'], /--token-counts cannot be used with atif/],
  [['-f', 'trl-sft', '--license', 'MIT'], /--license needs provenance/],
  [
    ['-f', 'trl-sft', '--token-counts', 'provenance', '--provenance'],
    /--token-counts adds 'provenance', which another option adds too/,
  ],
  [['-f', 'trl-sft', '--token-counts', ''], /--token-counts needs a name/],
  [['-f', 'trl-sft', '--tokenizer', 'o200k'], /--tokenizer needs a limit/],
  [['-f', 'trl-sft', '--min-tokens', '9', '--max-tokens', '8'], /--min-tokens is 9, more than/],
  [['-f', 'trl-sft', '--max-tokens', '0'], /1 or more/],
])('%j is a usage error of token counts and provenance', async (flags, reason) => {
  const { code, stderr } = await runCommand(['export', chats.path, ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
});

test.skipIf(process.platform === 'win32').each(['jsonl', 'csv', 'parquet', 'trl-sft'])(
  'an export as %s to a pipe is refused and leaves the pipe',
  async (format) => {
    const pipe = out(`pipe-${format}`);
    execFileSync('mkfifo', [pipe]);
    const column = format === 'trl-sft' ? ['--column', 'messages'] : [];
    const { code, stderr } = await runCommand(['export', chats.path, '-f', format, ...column, '-o', pipe]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/it is a device or a pipe.* print to standard output/)]);
    expect(statSync(pipe).isFIFO()).toBe(true);
  },
);

test.each([
  ['-f', 'trl-sft', '--column', 'messages'],
  ['-f', 'jsonl'],
  ['-f', 'csv', '--reviews', 'columns'],
])('an export over a file of its own dataset is refused: %s %s', async (...flags) => {
  const { code, stderr } = await runCommand(['export', chats.path, ...flags, '-o', join(chats.path, 'run.json')]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('run.json belongs to the dataset that is exported')]);
  expect(JSON.parse(readFileSync(join(chats.path, 'run.json'), 'utf8'))).toHaveProperty('plan');
});

test.each([
  ['nowhere', 'x.jsonl', /There is no dataset in nowhere/],
  ['chats', 'x.csv', /\.jsonl, \.json/],
  ['chats', 's3://bucket/x.jsonl', /it is an address/],
  ['chats', 'no/such/folder/x.jsonl', /there is no such folder/],
])('an export of %s to %s fails in words', async (name, path, reason) => {
  const from = name === 'chats' ? chats.path : name;
  const to = path.startsWith('s3') ? path : out(path);
  const { code, stderr } = await runCommand(['export', from, '-f', 'trl-sft', '--column', 'messages', '-o', to]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
});
