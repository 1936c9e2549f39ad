import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MCPProvider } from '@data-designer/config';
import type { RunEvent } from '@data-designer/engine';
import { stdioServer } from '../packages/mcp/test/providers.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, toolCalls } from './calling-model.ts';

/** Patterns that take exponential time where they are matched by trying; RE2 takes the first alone. */
const LINEAR = '^(a+)+$';
const UNBOUNDED = '^(a+)+\\1?$';
const HOSTILE = `${'a'.repeat(38)}!`;
const ROWS = 6;

let folder: string;
let server: AnsweringServer;
/** The prompt of the row whose model writes the text that does not match: that of the first to ask. */
let badPrompt: string | null | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-patterns-'));
  server = await openAnsweringServer((body, response) => {
    const { messages, tools } = JSON.parse(body) as ModelRequest;
    badPrompt ??= messages[0]?.content;
    const value = { a: messages[0]?.content === badPrompt ? HOSTILE : 'aaa' };
    if (!tools) return reply(response, completion(JSON.stringify(value)));
    if (messages.at(-1)?.role === 'tool') return reply(response, completion('Done.'));
    return reply(response, toolCalls([{ name: 'one', arguments: value }], 1));
  });
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** All rows in one group: a lost worker would cost each of them. */
async function create(name: string, column: object, pattern: string) {
  const inputSchema = { type: 'object', properties: { a: { type: 'string', pattern } } };
  const { command, args, env } = stdioServer('raw', ['given', JSON.stringify([{ name: 'one', inputSchema }])]);
  const tools: MCPProvider = { name: 'local', providerType: 'stdio', command, args: [...args], env };
  const rest = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'mine', endpoint: `${server.origin}/v1`, ...rest }], tools: [tools] },
    runConfig: { seed: 3, maxConversationRestarts: 0, maxConversationCorrectionSteps: 1 },
  });
  const document = {
    model_configs: [{ alias: 'writer', model: 'm', provider: 'mine', skip_health_check: true }],
    tool_configs: [{ tool_alias: 'kit', providers: ['local'] }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'out', model_alias: 'writer', prompt: '{{ id }}', ...column },
    ],
  };
  badPrompt = undefined;
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => void events.push(event);
  const results = await designer.create(
    { document, source: 'the test' },
    { numRecords: ROWS, datasetName: name, onEvent },
  );
  const records = await Array.fromAsync(results.records());
  return { records, results, isWorkerLost: events.some(({ type }) => type === 'worker-fail') };
}

const failuresOf = (path: string): readonly { readonly code: string; readonly column: string }[] =>
  readFileSync(join(path, 'failures.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { code: string; column: string });

const structured = (pattern: string) => ({
  column_type: 'llm-structured',
  output_format: { type: 'object', properties: { a: { type: 'string', pattern } }, required: ['a'] },
});
const WITH_TOOL = { column_type: 'llm-text', tool_alias: 'kit', with_trace: true };

test('a hostile pattern in an output schema costs at most one cell', async () => {
  const { records, results, isWorkerLost } = await create('answers', structured(LINEAR), LINEAR);
  expect(records.map(({ out }) => out)).toEqual(Array.from({ length: ROWS - 1 }, () => ({ a: 'aaa' })));
  expect(failuresOf(results.path)).toEqual([expect.objectContaining({ code: 'model/gave-up', column: 'out' })]);
  expect(isWorkerLost).toBe(false);
});

test('a hostile pattern in a tool schema costs at most one call', async () => {
  const { records, isWorkerLost } = await create('arguments', WITH_TOOL, LINEAR);
  const told = JSON.stringify(records).match(/its arguments do not fit: 'a' must match pattern/g);
  expect([records.length, told?.length, isWorkerLost]).toEqual([ROWS, 1, false]);
});

test.each([
  ['an output schema', structured(UNBOUNDED)],
  ["a tool's schema", WITH_TOOL],
])('an endless pattern of %s fails the cell with its own error code', { tags: 'long' }, async (name, column) => {
  const { records, results, isWorkerLost } = await create(`unbounded ${name.length}`, column, UNBOUNDED);
  expect(records).toHaveLength(ROWS - 1);
  expect(failuresOf(results.path)).toEqual([
    expect.objectContaining({ code: 'answer/pattern-timed-out', column: 'out' }),
  ]);
  expect(isWorkerLost).toBe(false);
});
