import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './define-tool.ts';
import { image } from './local-result.ts';
import type { ToolEnded, ToolNote } from './local-messages.ts';
import { LocalTools } from './local-tools.ts';
import { readToolResult } from './tool-result.ts';

const parameters = { type: 'object' };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const shownPng = { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${PNG.toString('base64')}` };

function open(tools: readonly ToolDefinition[], notes: ToolNote[] = []): LocalTools {
  return new LocalTools({ name: 'mine', providerType: 'local', tools }, { onNote: (note) => notes.push(note) });
}

class Point {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}

/** An error whose properties cannot be read. */
const SILENT = new Proxy(new Error('hidden'), {
  get: () => {
    throw new Error('no');
  },
});

let nextId = 0;

/** Arguments, and the timeout of the call. */
type Args = { readonly timeoutMs?: number } & Readonly<Record<string, unknown>>;

function call(local: LocalTools, name: string, { timeoutMs = 5_000, ...args }: Args = {}): Promise<ToolEnded> {
  return new Promise((resolve) => {
    const ask = { kind: 'run-tool', id: nextId++, provider: 'mine', name, arguments: args, timeoutMs } as const;
    local.take(ask, resolve);
  });
}

/** What the model sees of a function's result. */
async function shown(execute: () => unknown): Promise<unknown> {
  const { status, body } = await call(open([defineTool({ name: 'f', parameters, execute })]), 'f');
  const read = status === 200 ? readToolResult(body) : { failed: true as const, reason: body };
  return read.failed ? `failed: ${read.reason}` : read.content;
}

test.each<[string, unknown, unknown]>([
  ['text as it is', 'plain', 'plain'],
  ['nothing as empty', undefined, ''],
  ['null as JSON', null, 'null'],
  ['an object as JSON', { a: [1, null] }, '{"a":[1,null]}'],
  ['long integers with all digits', { id: 12345678901234567890n }, '{"id":12345678901234567890}'],
  ['a list item by item', ['a', { b: 1 }, 2], 'a\n{"b":1}\n2'],
  ['an empty list as JSON', [], '[]'],
  ['bytes of text as text', Buffer.from('größe'), 'größe'],
  ['bytes of an image as an image', PNG, [shownPng]],
  ['other bytes by their length', new Uint8Array([255, 254, 0]), '[resource bytes:3]'],
  ['an image', image(PNG, 'image/png'), [shownPng]],
  ['images between texts, in order', ['see', image(PNG, 'image/png')], [{ type: 'text', text: 'see' }, shownPng]],
  ['an MCP result as it is', { content: [{ type: 'text', text: 'x' }], isError: true }, 'failed: x'],
  ['an object with other content as JSON', { content: ['a'] }, '{"content":["a"]}'],
  ['items of other kinds as JSON', { content: [{ type: 'paragraph' }] }, '{"content":[{"type":"paragraph"}]}'],
  ['incomplete items as JSON', { content: [{ type: 'text' }] }, '{"content":[{"type":"text"}]}'],
  ['other views of bytes as bytes', new DataView(Uint8Array.from(Buffer.from('größe')).buffer), 'größe'],
  ['invalid numbers and dates as null', [NaN, new Date(NaN)], 'null\nnull'],
  ['class instances by their fields', new Point(1, 2), '{"x":1,"y":2}'],
  ['an object with toJSON as its JSON', new URL('https://a.example/'), '"https://a.example/"'],
  ['a map as an error', new Map([['a', 1]]), 'failed: it gave a Map, which is no JSON'],
  ['a set in a list as an error', ['a', new Set()], 'failed: it gave a Set, which is no JSON'],
  ['a generator as an error', [1].values(), 'failed: it gave an Array Iterator, which is no JSON'],
  ['an async generator as an error', (async function* () {})(), 'failed: it gave an AsyncGenerator, which is no JSON'],
  ['a blob as an error', new Blob(['a']), 'failed: it gave a Blob, which is no JSON'],
  ['a response as an error', new Response('a'), 'failed: it gave a Response, which is no JSON'],
  ['a returned error as an error', new Error('the shelf is empty'), 'failed: the shelf is empty'],
  ['a function as an error', () => 1, 'failed: it gave a function, which is no JSON'],
])('shows %s', async (_claim, value, content) => {
  expect(await shown(() => value)).toEqual(content);
  expect(await shown(async () => value)).toEqual(content);
});

test.each<[string, unknown, string]>([
  ['an error', new Error('the shelf is empty'), 'the shelf is empty'],
  ['an error without a message', new TypeError(), 'it threw TypeError without a message'],
  ['text', 'no', 'no'],
  ['something else', { code: 7 }, 'it threw { code: 7 }'],
  ['an unreadable value', SILENT, 'it threw something that cannot be told'],
])('reports to the model %s that was thrown', async (_claim, thrown, reason) => {
  const execute = (): never => {
    throw thrown;
  };
  expect(await shown(execute)).toBe(`failed: ${reason}`);
  expect(await shown(() => Promise.reject(thrown as Error))).toBe(`failed: ${reason}`);
});

test('arguments get the defaults and transforms of their schema, and invalid ones its message', async () => {
  const schema = z.object({ a: z.string().transform((text) => text.length), b: z.number().max(5).default(3) });
  const local = open([defineTool({ name: 'f', parameters: schema, execute: ({ a, b }) => a + b })]);
  expect(await call(local, 'f', { a: 'four' })).toMatchObject({
    status: 200,
    body: '{"content":[{"type":"text","text":"7"}]}',
  });
  expect(await call(local, 'f', { a: 'four', b: 9 })).toMatchObject({
    status: 502,
    body: "its arguments do not fit: 'b': Too big: expected number to be <=5",
  });
});

test('a function that hangs times out, and its signal is aborted', async () => {
  let aborted = false;
  const execute = (_args: object, { signal }: { signal: AbortSignal }): Promise<void> => {
    signal.addEventListener('abort', () => (aborted = true));
    return new Promise(() => {});
  };
  const local = open([defineTool({ name: 'hang', parameters, execute })]);
  expect(await call(local, 'hang', { timeoutMs: 50 })).toMatchObject({ status: 504, body: 'no answer within 50 ms' });
  expect(aborted).toBe(true);
});

test('a cancelled call is aborted and not answered', async () => {
  const seen: string[] = [];
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const execute = async (_args: object, { signal }: { signal: AbortSignal }): Promise<string> => {
    started.resolve();
    await sleep(60_000, undefined, { signal }).catch(() => seen.push('aborted'));
    ended.resolve();
    return 'late';
  };
  const local = open([defineTool({ name: 'wait', parameters, execute })]);
  local.take({ kind: 'run-tool', id: 900, provider: 'mine', name: 'wait', arguments: {}, timeoutMs: 60_000 }, () =>
    seen.push('answered'),
  );
  await started.promise;
  local.take({ kind: 'cancel-tool', id: 900 }, () => {});
  await ended.promise;
  // An answer would arrive before this.
  await new Promise(setImmediate);
  expect(seen).toEqual(['aborted']);
});

test('the log and progress of a function are reported with its name', async () => {
  const notes: ToolNote[] = [];
  const tool = defineTool({
    name: 'dig',
    parameters,
    execute: (_args, { log, progress }) => {
      log('digging');
      progress(1, 4);
      progress(2);
    },
  });
  await call(open([tool], notes), 'dig');
  expect(notes).toEqual([
    { type: 'tool-log', provider: 'mine', tool: 'dig', message: 'digging' },
    { type: 'tool-progress', provider: 'mine', tool: 'dig', done: 1, total: 4 },
    { type: 'tool-progress', provider: 'mine', tool: 'dig', done: 2, total: null },
  ]);
});

test('a function reads the resources of its provider, if it has any', async () => {
  const tool = defineTool({ name: 'read', parameters, execute: (_args, { readResource }) => readResource('note:1') });
  const provider = { name: 'mine', providerType: 'local', tools: [tool] } as const;
  const having = new LocalTools({ ...provider, readResource: (uri) => `the text of ${uri}` });
  expect((await call(having, 'read')).body).toContain('the text of note:1');
  expect(await call(new LocalTools(provider), 'read')).toMatchObject({
    status: 502,
    body: "the provider 'mine' offers no resources",
  });
});

test('two tools of one name are rejected, and a call to an unknown tool fails', async () => {
  const tool = defineTool({ name: 'f', parameters, execute: () => '' });
  expect(() => open([tool, tool])).toThrow("it has two tools named 'f'");
  expect(await call(open([tool]), 'g')).toMatchObject({
    status: 502,
    body: "the provider 'mine' has no tool of this name",
  });
});
