import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { dataDesigner } from './command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-sessions-'));
const designer = new DataDesigner({ artifactPath: join(folder, 'artifacts') });

beforeEach(() => mkdirSync(join(folder, 'sessions'), { recursive: true }));

afterEach(() => rmSync(folder, { recursive: true }));

afterAll(() => designer[Symbol.asyncDispose]());

/** Writes a session of Claude Code: a question, a call with its result, and an answer. */
function writeSession(name: string, { answer = `Answer of ${name}.` } = {}): void {
  const record = (type: string, content: unknown) => ({ type, sessionId: name, message: { role: type, content } });
  const records = [
    record('user', `Question of ${name}?`),
    record('assistant', [
      { type: 'thinking', thinking: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'look', input: { at: name } },
    ]),
    record('user', [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'seen' }] }]),
    record('assistant', [{ type: 'text', text: answer }]),
  ];
  const lines = records.map((one) => `${JSON.stringify(one)}\n`);
  writeFileSync(join(folder, 'sessions', `${name}.jsonl`), lines.join(''));
}

const source = () => ({ seedType: 'agent_rollout', format: 'claude_code', path: join(folder, 'sessions') }) as const;

/** A prompt over what was said, and another over what was said last. */
function declared() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
    .withSeedDataset(source())
    .addColumn({
      name: 'talk',
      columnType: 'expression',
      expr: '{% for m in messages %}{{ m.role }}: {{ m.content }} {% endfor %}{{ message_count }} {{ tool_call_count }}',
    })
    .addColumn({
      name: 'thoughts',
      columnType: 'llm-text',
      modelAlias: 'writer',
      withTrace: true,
      prompt:
        '{{ final_assistant_message }} {{ messages[1].tool_calls[0].function.arguments }} {{ messages[0].content }}',
    });
}

const promptOf = (record: unknown) => {
  const { thoughts__trace: trace } = record as { readonly thoughts__trace: readonly { readonly content: string }[] };
  return trace[0]?.content;
};

test('prompts and expressions read agent sessions in a preview', async () => {
  for (const name of ['a', 'b']) writeSession(name);
  const records = await Array.fromAsync((await designer.preview(declared(), { numRecords: 3 })).records());
  expect(records.map((record) => (record as { readonly talk: string }).talk)).toEqual(
    ['a', 'b', 'a'].map(
      (name) => `user: Question of ${name}? assistant: None tool: seen assistant: Answer of ${name}. 4 1`,
    ),
  );
  expect(records.map(promptOf)).toEqual(
    ['a', 'b', 'a'].map((name) => `Answer of ${name}. {'at': '${name}'} Question of ${name}?`),
  );
});

test('a resume requires the same agent sessions', { tags: 'long' }, async () => {
  for (const name of ['a', 'b', 'c']) writeSession(name);
  const options = { datasetName: 'made', resume: 'always' } as const;
  const made = await designer.create(declared(), { datasetName: 'made', numRecords: 2 });
  await Array.fromAsync(made.records());
  const longer = await designer.create(declared(), { ...options, numRecords: 3 });
  const records = await Array.fromAsync(longer.records());
  expect(records.map(promptOf)).toEqual(
    ['a', 'b', 'c'].map((name) => `Answer of ${name}. {'at': '${name}'} Question of ${name}?`),
  );
  writeSession('b', { answer: 'Another.' });
  await expect(designer.create(declared(), { ...options, numRecords: 4 })).rejects.toThrow(/b\.jsonl has changed/);
});

test(
  'the default folder holds the sessions of the user, and files that are not sessions are reported',
  { tags: 'long' },
  async () => {
    writeSession('a');
    writeFileSync(join(folder, 'sessions', 'b.jsonl'), 'no session');
    mkdirSync(join(folder, '.claude'));
    renameSync(join(folder, 'sessions'), join(folder, '.claude', 'projects'));
    const config = join(folder, 'config.json');
    const seed = { source: { seed_type: 'agent_rollout', format: 'claude_code' } };
    const columns = [{ name: 'line', column_type: 'expression', expr: '{{ trace_id }} {{ source_kind }}' }];
    writeFileSync(config, JSON.stringify({ seed_config: seed, columns }));
    const { stdout, stderr } = await dataDesigner(['preview', config, '-n', '1', '--json'], { HOME: folder });
    expect(stderr).toMatch(/b\.jsonl is skipped: line 1 is not valid JSON/);
    expect(stdout).toContain('a claude_code');
  },
);

test('chat-jsonl exports recorded conversations on request', { tags: 'long' }, async () => {
  writeSession('a');
  const made = await designer.create(declared(), { datasetName: 'chats', numRecords: 1 });
  const path = join(folder, 'chats.jsonl');
  await made.export(path, { format: 'chat-jsonl', column: 'messages' });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    messages: [
      { role: 'user', content: 'Question of a?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"a"}' } }],
      },
      { role: 'tool', content: 'seen', tool_call_id: 'c1' },
      { role: 'assistant', content: 'Answer of a.' },
    ],
  });
  await expect(made.export(path, { format: 'chat-jsonl', column: 'talk' })).rejects.toThrow(
    /does not store complete conversations\. Columns with conversations: thoughts/,
  );
});
