import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SeedConfig } from '@data-designer/config';
import type { CellValue } from '@data-designer/core';
import { materialiseTable } from '../tables/materialise-table.ts';
import { sourceState } from '../tables/table-record.ts';
import { tablesReader } from '../tables/table-reader.ts';
import { inspectSeed, seedSource } from '../inspect-seed.ts';
import type { RolloutSource } from './rollout.ts';

let folder: string;
const signal = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-rollouts-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, ...records: readonly (object | string)[]): void {
  mkdirSync(join(folder, 'logs', path, '..'), { recursive: true });
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  writeFileSync(join(folder, 'logs', path), lines.map((line) => `${line}\n`).join(''));
}

function seedOf(format: RolloutSource['format'], more: Partial<SeedConfig> = {}): SeedConfig {
  const source = { seedType: 'agent_rollout', format, path: 'logs', filePattern: null, recursive: true } as const;
  return { source, samplingStrategy: 'ordered', selectionStrategy: null, ...more };
}

const inspect = (seed: SeedConfig) => inspectSeed(seed, { folder });

async function rowsOf(seed: SeedConfig, rows: number): Promise<Record<string, CellValue>[]> {
  const table = seedSource(seed, await inspect(seed));
  if (!table) throw new Error('It cannot be read.');
  const path = join(folder, 'table.parquet');
  rmSync(join(folder, 'scratch'), { recursive: true, force: true });
  mkdirSync(join(folder, 'scratch'));
  const { rows: made } = await materialiseTable(table, path, {
    run: { rows, seed: 3 },
    context: { scratch: join(folder, 'scratch'), signal },
  });
  const read = tablesReader([table], [{ id: table.id, path, rows: made }]);
  const columns = [...((await read({ firstRow: 0, rows })).get(table.id) ?? [])];
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row] as CellValue])),
  );
}

const said = (text: string, more: object = {}) => ({
  type: 'user',
  sessionId: text,
  message: { role: 'user', content: text },
  ...more,
});

const tracesOf = (rows: readonly Record<string, CellValue>[]) => rows.map(({ trace_id: trace }) => trace);

const item = (payload: object) => ({ type: 'response_item', payload });
const messagesOf = async (seed: SeedConfig) => JSON.stringify((await rowsOf(seed, 1))[0]?.['messages']);

test('reads the raw reasoning of Codex only if the source asks for it', async () => {
  const thought = { type: 'reasoning', summary: [{ text: 'Short.' }], content: [{ text: 'All of it.' }] };
  write('rollout-1.jsonl', item(thought), item({ type: 'message', role: 'assistant', content: 'Ho' }));
  const seed = seedOf('codex');
  const source = { ...seed.source, codexReasoningSource: 'content_first' } as RolloutSource;
  expect(await messagesOf({ ...seed, source })).toContain('"All of it."');
  expect(await messagesOf(seed)).toContain('"Short."');
});

test('gives a row for each recording, with messages in the form of traces', async () => {
  write('a.jsonl', said('one', { cwd: '/w', timestamp: '2025-01-01T00:00:00Z' }), {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 'c', name: 'ls', input: { b: 1, a: 2 } }] },
  });
  write('sessions-index.json', { entries: [{ sessionId: 'one', projectPath: '/p', summary: 'Lists.' }] });
  const nothing = { reasoning_content: null, tool_calls: null, tool_call_id: null, content_parts: null };
  expect(await rowsOf(seedOf('claude_code'), 1)).toEqual([
    {
      trace_id: 'one',
      source_kind: 'claude_code',
      source_path: join(folder, 'logs', 'a.jsonl'),
      root_session_id: 'one',
      agent_id: null,
      is_sidechain: false,
      cwd: '/w',
      project_path: '/p',
      git_branch: null,
      started_at: '2025-01-01T00:00:00Z',
      ended_at: '2025-01-01T00:00:00Z',
      messages: [
        { role: 'user', content: 'one', ...nothing },
        {
          role: 'assistant',
          content: null,
          ...nothing,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'ls', arguments: '{"a":2,"b":1}' } }],
        },
      ],
      source_meta: { record_count: 2, record_types: ['assistant', 'user'], summary: 'Lists.' },
      message_count: 2,
      tool_call_count: 1,
      final_assistant_message: null,
    },
  ]);
});

test('selection and order count rows, not files without a row', { tags: 'long' }, async () => {
  for (const name of ['a', 'c', 'e', 'f']) write(`${name}.jsonl`, said(name));
  write('b.jsonl', '{');
  write('d.jsonl');
  expect(await inspect(seedOf('claude_code'))).toMatchObject({ rows: 4 });
  expect(tracesOf(await rowsOf(seedOf('claude_code'), 5))).toEqual(['a', 'c', 'e', 'f', 'a']);
  const range = { selectionStrategy: { start: 1, end: 2 } };
  expect(tracesOf(await rowsOf(seedOf('claude_code', range), 2))).toEqual(['c', 'e']);
  const part = { selectionStrategy: { index: 1, numPartitions: 2 } };
  expect(tracesOf(await rowsOf(seedOf('claude_code', part), 2))).toEqual(['e', 'f']);
  const shuffled = tracesOf(await rowsOf(seedOf('claude_code', { samplingStrategy: 'shuffle' }), 8));
  expect(new Set(shuffled.slice(0, 4))).toEqual(new Set(['a', 'c', 'e', 'f']));
  expect(new Set(shuffled.slice(4))).toEqual(new Set(['a', 'c', 'e', 'f']));
  const outside = await inspect(seedOf('claude_code', { selectionStrategy: { start: 0, end: 4 } }));
  expect(outside.findings.map(({ type }) => type)).toContain('selection_outside');
});

test('leaves out files that are not recordings, and warns with their name and the reason', async () => {
  write('good.jsonl', said('one'));
  write('broken.jsonl', said('one'), '', '{"type": "us');
  write('empty.jsonl', ' ');
  write('list.jsonl', '[]');
  write('nameless.jsonl', { type: 'user' });
  write('sessions-index.json', '{');
  writeFileSync(join(folder, 'logs', 'latin.jsonl'), Buffer.from('{"a":"ü"}', 'latin1'));
  const { findings, rows } = await inspect(seedOf('claude_code'));
  expect(rows).toBe(1);
  expect(findings.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'WARNING sessions-index.json is skipped: it is not valid JSON.',
    'WARNING broken.jsonl is skipped: line 3 is not valid JSON.',
    'WARNING empty.jsonl is skipped: it is empty.',
    'WARNING latin.jsonl is skipped: it is not UTF-8 text.',
    'WARNING list.jsonl is skipped: line 1 is not a JSON object.',
    "WARNING nameless.jsonl is skipped: a record of type 'user' has no message.",
  ]);
});

test('names at most 20 files that are left out, and reports an error if no row is left', async () => {
  for (let file = 0; file < 30; file++) write(`${file}.jsonl`, said('one'));
  const { findings, source } = await inspect(seedOf('pi_coding_agent'));
  expect(source).toBeUndefined();
  expect(findings).toHaveLength(22);
  expect(findings.slice(20)).toMatchObject([
    { level: 'WARNING', message: '10 more files are skipped.' },
    { level: 'ERROR', type: 'seed_empty', message: 'no file contains a session of this format.' },
  ]);
});

test('leaves out a recording that is nested too deeply for a table', async () => {
  const deep = `${'['.repeat(3000)}${']'.repeat(3000)}`;
  const step = { step_id: 1, source: 'user', message: 'Hi' };
  const trajectory = { schema_version: 'ATIF-v1.4', session_id: 's', agent: { name: 'a' }, steps: [step] };
  const text = JSON.stringify({ ...trajectory, extra: { deep: 0 } }).replace('"deep":0', `"deep":${deep}`);
  write('a.json', text);
  write('b.json', { ...trajectory, extra: { deep: 0 } });
  const { findings, rows } = await inspect(seedOf('atif'));
  expect([rows, findings.length]).toEqual([1, 1]);
  expect(findings[0]?.message).toBe('a.json is skipped: its content is nested too deeply.');
});

test('reads recordings with long texts and many reasoning entries', { tags: 'long' }, async () => {
  const step = { step_id: 1, source: 'user', message: 'x'.repeat(5_000_000) };
  const trajectory = { schema_version: 'ATIF-v1.4', session_id: 's', agent: { name: 'a' }, steps: [step] };
  write('a.json', { ...trajectory, notes: 'n"'.repeat(5_000_000) });
  const [row] = await rowsOf(seedOf('atif'), 1);
  expect(row).toHaveProperty('messages[0].content.length', 5_000_000);
  const thoughts = Array.from({ length: 100_000 }, (_, n) => ({
    type: 'event_msg',
    payload: { type: 'agent_reasoning', text: `${n}` },
  }));
  write('rollout-1.jsonl', ...thoughts);
  const [session] = await rowsOf(seedOf('codex'), 1);
  expect(session).toHaveProperty('source_meta.unattached_reasoning.length', 100_000);
});

test.skipIf(process.getuid?.() === 0)('reports an unreadable file as an error with its name', async () => {
  write('a.jsonl', said('one'));
  chmodSync(join(folder, 'logs', 'a.jsonl'), 0);
  const { findings } = await inspect(seedOf('claude_code'));
  expect(findings).toMatchObject([{ level: 'ERROR', type: 'seed_unreadable' }]);
  expect(findings[0]?.message).toMatch(/a\.jsonl: permission is denied\.$/);
});

test('does not follow links out of the folder, neither to a recording nor to an index', async () => {
  write('a.jsonl', said('one'));
  writeFileSync(join(folder, 'secret.jsonl'), JSON.stringify(said('secret')));
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ entries: [{ sessionId: 'one', summary: 'secret' }] }));
  symlinkSync(join(folder, 'secret.jsonl'), join(folder, 'logs', 'b.jsonl'));
  symlinkSync(join(folder, 'index.json'), join(folder, 'logs', 'sessions-index.json'));
  expect((await inspect(seedOf('claude_code'))).findings.map(({ type }) => type)).toEqual(['seed_files_left_out']);
  const [row] = await rowsOf(seedOf('claude_code'), 1);
  expect(row).toMatchObject({ trace_id: 'one', source_meta: { record_count: 1 } });
  expect(JSON.stringify(row)).not.toContain('secret');
});

test('records the hashes of recordings and indexes, and reports a file that changes after the inspection', async () => {
  write('a.jsonl', said('one'));
  write('b.jsonl', '{');
  write('sessions-index.json', { entries: [] });
  const table = seedSource(seedOf('claude_code'), await inspect(seedOf('claude_code')));
  if (!table) throw new Error('It cannot be read.');
  const { files } = await sourceState(table.rows, signal);
  expect(files.map(({ path, sha256 }) => [path, sha256 !== null])).toEqual([
    ['a.jsonl', true],
    ['b.jsonl', true],
    ['sessions-index.json', true],
  ]);
  write('a.jsonl', said('another'));
  mkdirSync(join(folder, 'scratch'));
  const context = { scratch: join(folder, 'scratch'), signal };
  const made = materialiseTable(table, join(folder, 'table.parquet'), { run: { rows: 1, seed: 0 }, context });
  await expect(made).rejects.toMatchObject({ code: 'seed/unreadable' });
  await expect(made).rejects.toThrow(/a\.jsonl: it changed while the run started/);
});

test('stops an inspection when aborted', async () => {
  write('a.jsonl', said('one'));
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(inspectSeed(seedOf('claude_code'), { folder, signal: aborted })).rejects.toThrow('enough');
});
