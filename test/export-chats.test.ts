import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, type DatasetCreationResults } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

const artifactPath = mkdtempSync(join(tmpdir(), 'chats-'));
const out = (name: string) => join(artifactPath, name);
let results: DatasetCreationResults;

beforeAll(async () => {
  await using designer = new DataDesigner({ artifactPath });
  results = await designer.create(await DataDesignerConfigBuilder.fromConfig('configs/quickstart.yaml'), {
    numRecords: 6,
    datasetName: 'quick',
  });
}, 60_000);

afterAll(() => rmSync(artifactPath, { recursive: true }));

interface Chat {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly { readonly id: string; readonly type: string; readonly function: object }[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
}

function chatsIn(path: string): readonly Chat[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Chat);
}

test('chat-jsonl holds messages, tool calls, results and the offered tools', async () => {
  await results.export(out('chats.jsonl'), { format: 'chat-jsonl' });
  const chats = chatsIn(out('chats.jsonl'));
  expect(chats).toHaveLength(6);
  for (const { messages, tools } of chats) {
    expect(tools?.map((tool) => tool.function.name)).toEqual(['get_fact']);
    expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: expect.any(String) });
    for (const [index, message] of messages.entries()) {
      expect(Object.values(message)).not.toContain(undefined);
      expect(Object.keys(message)).not.toContain('content_parts');
      for (const { id, type } of message.tool_calls ?? []) {
        expect(type).toBe('function');
        expect(messages.slice(index + 1).filter((later) => later.tool_call_id === id)).toHaveLength(1);
      }
    }
  }
  expect(chats.some(({ messages }) => messages.some(({ tool_calls: calls }) => calls))).toBe(true);
});

test('toolCalls and finalAnswer read the trace of a row', async () => {
  const rows = await Array.fromAsync(results.records());
  const chats = chatsIn(out('chats.jsonl'));
  for (const [index, row] of rows.entries()) {
    const { messages } = chats[index] as Chat;
    expect(results.finalAnswer(row)).toBe(messages.at(-1)?.content);
    expect(results.finalAnswer(row, 'answer')).toBe(row['answer']);
    const calls = results.toolCalls(row);
    expect(calls).toHaveLength(messages.flatMap(({ tool_calls: made }) => made ?? []).length);
    for (const call of calls) {
      expect(call.result).toBe(messages.find(({ tool_call_id: id }) => id === call.id)?.content);
    }
  }
  expect(() => results.toolCalls({ title: 'x' })).toThrow(/contains no conversations/);
  expect(() => results.toolCalls({ a__trace: [], b__trace: [] })).toThrow(/Name one of 'a', 'b'/);
});

test('the command line exports chats and rows', async () => {
  const folder = results.path;
  expect(await runCommand(['export', folder, '-f', 'chat-jsonl', '-o', out('cli.jsonl')])).toMatchObject({ code: 0 });
  expect(readFileSync(out('cli.jsonl'), 'utf8')).toBe(readFileSync(out('chats.jsonl'), 'utf8'));
  expect(await runCommand(['export', folder, '-o', out('rows.csv')])).toMatchObject({ code: 0 });
  expect(readFileSync(out('rows.csv'), 'utf8').split('\n')[0]).toContain('field,topic,reader,title,answer');
});

test('the command line tells how many conversations without an answer it leaves out', async () => {
  const unused = { reasoning_content: null, tool_calls: null, tool_call_id: null, content_parts: null };
  const asked = { role: 'user', content: 'Which bird sings at night?', ...unused };
  const answered = [asked, { role: 'assistant', content: 'The nightingale.', ...unused }];
  const seed = out('recorded.jsonl');
  writeFileSync(seed, [answered, [asked]].map((messages) => JSON.stringify({ messages })).join('\n'));
  const columns = [{ name: 'bird', column_type: 'expression', expr: 'nightingale' }];
  const document = { columns, seed_config: { source: { seed_type: 'local', path: seed } } };
  await using designer = new DataDesigner({ artifactPath });
  const { path } = await designer.create({ document, source: 'test' }, { numRecords: 2, datasetName: 'recorded' });
  const flags = ['-f', 'chat-jsonl', '--column', 'messages', '-o', out('half.jsonl'), '--json'];
  const { code, stdout, stderr } = await runCommand(['export', path, ...flags]);
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ conversations: 1, left_out: 1 })]);
  expect(stderr).toContain('the export has 1 of 2 conversations; left out: 1 with no answer at the end');
});

test('chat-jsonl refuses a dataset without conversations and leaves no file', async () => {
  const options = { format: 'chat-jsonl', column: 'quiz' } as const;
  await expect(results.export(out('none.jsonl'), options)).rejects.toMatchObject({ code: 'dataset/no-chats' });
  await expect(results.export(out('none.jsonl'), options)).rejects.toThrow(/Columns with conversations: answer\./);
  const nowhere = await runCommand(['export', out('nowhere'), '-f', 'chat-jsonl', '-o', out('none.jsonl')]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('nowhere') });
  const rows = await runCommand(['export', out('nowhere')]);
  expect(rows).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('[dataset/missing]') });
  expect(readdirSync(artifactPath).filter((name) => name.startsWith('none'))).toEqual([]);
});
