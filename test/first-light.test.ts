import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls:
    | readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
    | null;
  readonly tool_call_id: string | null;
}

interface Record_ {
  readonly field: string;
  readonly topic: string;
  readonly reader: string;
  readonly title: string;
  readonly quiz: {
    readonly question: string;
    readonly choices: readonly string[];
    readonly answer_index: number | bigint;
  };
  readonly grade: Record<'Clarity' | 'Tone', { readonly reasoning: string; readonly score: string }>;
  readonly answer: string;
  readonly answer__trace: readonly Message[];
}

interface Created {
  readonly path: string;
  readonly records: number;
  readonly usage: Record<string, { requests: number; toolCalls: number; inputTokens: number; outputTokens: number }>;
}

const ROWS = 50;
let artifacts: string;
let created: Created;
let records: Record_[];

/** The dataset as hyparquet reads it, a reader that shares no code with the writer. */
async function read(path: string): Promise<Record_[]> {
  const folder = join(path, 'parquet-files');
  const files = readdirSync(folder).toSorted();
  const parts = await Promise.all(
    files.map(async (name) => parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)), compressors })),
  );
  return parts.flat() as unknown as Record_[];
}

/** A value as JSON gives it back, members that are null left out: hyparquet leaves them out of nested values itself. */
function bare(value: unknown): unknown {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
  return JSON.parse(text, (_, part: unknown) => (part === null ? undefined : part)) as unknown;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function create(name: string, ...more: string[]): Promise<Created> {
  const args = [
    'create',
    'configs/quickstart.yaml',
    '-n',
    String(ROWS),
    '-o',
    artifacts,
    '-d',
    name,
    '--json',
    ...more,
  ];
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).not.toContain('Error');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Created;
}

beforeAll(async () => {
  artifacts = await mkdtemp(join(tmpdir(), 'first-light-'));
  created = await create('light', '--seed', '4');
  records = await read(created.path);
}, 60_000);

afterAll(() => rm(artifacts, { recursive: true }));

test('create makes the requested rows and prints their folder', () => {
  expect(created.records).toBe(ROWS);
  expect(created.path).toBe(join(artifacts, 'light'));
  expect(records).toHaveLength(ROWS);
});

test('every answer has its trace with tool calls and results', () => {
  for (const { topic, answer, answer__trace: trace } of records) {
    expect(trace.map(({ role }) => role).slice(0, 2)).toEqual(['system', 'user']);
    expect(trace[1]?.content).toContain(topic);
    expect(trace.at(-1)).toMatchObject({ role: 'assistant', content: answer });
    const calls = trace.flatMap(({ tool_calls: wanted }) => wanted ?? []);
    const results = trace.filter(({ role }) => role === 'tool');
    expect(calls.length).toBeGreaterThan(0);
    expect(results.map(({ tool_call_id: id }) => id)).toEqual(calls.map(({ id }) => id));
  }
});

test('samplers, expression, structured answer and judge fill their columns as declared', () => {
  const topics: Record<string, readonly string[]> = {
    nature: ['bees', 'octopuses', 'salt', 'water'],
    space: ['Jupiter', 'light', 'the moon'],
    things: ['coffee', 'glass', 'paper'],
  };
  for (const { field, topic, reader, title, quiz, grade } of records) {
    expect(topics[field]).toContain(topic);
    expect(title).toBe(`${capital(topic)} for ${reader}`);
    expect(quiz.choices).toHaveLength(3);
    expect([0, 1, 2]).toContain(Number(quiz.answer_index));
    expect(['1', '2', '3']).toContain(grade.Clarity.score);
    expect(['warm', 'flat']).toContain(grade.Tone.score);
  }
});

test('records differ, and an answer repeats neither a fact nor a sentence', () => {
  expect(new Set(records.map(({ answer, reader }) => `${reader}: ${answer}`)).size).toBeGreaterThan(ROWS * 0.6);
  for (const { answer, quiz } of records) {
    const sentences = answer.split(/(?<=\.)\s/);
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(quiz.question).toMatch(/^[A-Z].*\?$/);
    expect(new Set(quiz.choices).size).toBe(3);
  }
});

test('traces hold facts that only the tools know', () => {
  const results = records.flatMap(({ answer__trace: trace }) => trace.filter(({ role }) => role === 'tool'));
  const said = results.map(({ content }) => content).join('\n');
  expect(said).toContain('An octopus has eight arms, three hearts and blue blood.');
  expect(said).toContain('Table salt is sodium chloride');
});

test('usage agrees with the traces', () => {
  const messages = records.flatMap(({ answer__trace: trace }) => trace);
  const answers = messages.filter(({ role }) => role === 'assistant');
  const calls = answers.flatMap(({ tool_calls: wanted }) => wanted ?? []);
  // The writer answers the traced column and, once a row, the quiz.
  expect(created.usage.writer?.requests).toBe(answers.length + ROWS);
  expect(created.usage.critic?.requests).toBe(ROWS);
  expect(created.usage.writer?.toolCalls).toBe(calls.length);
  expect(created.usage.writer?.outputTokens).toBeGreaterThan(0);
});

test('DuckDB reads the values that records() returns', async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    `select topic, answer, to_json([answer__trace])::varchar as trace, to_json(quiz)::varchar as quiz from read_parquet('${created.path}/parquet-files/*.parquet')`,
  );
  const rows = reader.getRowObjects() as unknown as Record<'topic' | 'answer' | 'trace' | 'quiz', string>[];
  expect(rows.map(({ topic, answer }) => ({ topic, answer }))).toEqual(
    records.map(({ topic, answer }) => ({ topic, answer })),
  );
  expect(rows.map(({ trace }) => bare(JSON.parse(trace)))).toEqual(
    records.map((record) => bare([record.answer__trace])),
  );
  expect(rows.map(({ quiz }) => bare(JSON.parse(quiz)))).toEqual(records.map(({ quiz }) => bare(quiz)));
  connection.closeSync();
  instance.closeSync();
});

test('the folder holds the files that a resume needs and no temporary ones', () => {
  expect(readdirSync(created.path).toSorted()).toEqual([
    'README.md',
    'builder_config.json',
    'checksums.jsonl',
    'journal',
    'metadata.json',
    'parquet-files',
    'rates.json',
    'run.copy.json',
    'run.json',
    'tmp-partial-parquet-files',
    'usage.jsonl',
  ]);
  expect(readdirSync(join(created.path, 'journal'))).toEqual([]);
  expect(readdirSync(join(created.path, 'tmp-partial-parquet-files'))).toEqual([]);
  const metadata = JSON.parse(readFileSync(join(created.path, 'metadata.json'), 'utf8')) as Record<string, unknown>;
  expect(metadata).toMatchObject({ actual_num_records: ROWS, target_num_records: ROWS, num_completed_batches: 1 });
  const run = JSON.parse(readFileSync(join(created.path, 'run.json'), 'utf8')) as { tools: Record<string, unknown[]> };
  expect(run.tools['demo-tools']).toHaveLength(3);
});

test('the same seed gives the same dataset, and a second run does not change the first', { tags: 'long' }, async () => {
  const again = await create('light', '--seed', '4');
  expect(again.path).not.toBe(created.path);
  expect(await read(again.path)).toEqual(records);
  expect(await read(created.path)).toEqual(records);
});
