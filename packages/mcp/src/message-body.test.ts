import { expect, test } from 'vitest';
import type { RpcMessage } from './link.ts';
import { takeMessages, takenEvents } from './message-body.ts';

const ignore = (): void => undefined;

interface Read {
  readonly ids: readonly unknown[];
  readonly rest: string;
}

/** The ids of the messages in an event stream, and what is left of it. */
async function read(chunks: readonly string[], mostChars = 1_000): Promise<Read> {
  const ids: unknown[] = [];
  const stream = new ReadableStream<string>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const take = (message: Partial<RpcMessage>): void =>
    void ids.push(message.error ? `error ${String(message.id)}` : message.id);
  const taken = takenEvents({ take, onStray: ignore, onEndless: ignore, mostChars });
  let rest = '';
  for await (const text of stream.pipeThrough(taken)) rest += text;
  return { ids, rest };
}

const TAKEN = 'data: {"jsonrpc":"2.0","id":0,"result":{}}\n\n';

test.each([
  ['an event', ['event: message\ndata: {"id":1}\n\n'], [1], `event: message\n${TAKEN}`],
  ['lines that end as on Windows', ['data: {"id":1}\r\n\r\ndata:{"id":2}\r\n\r\n'], [1, 2], TAKEN + TAKEN],
  ['an event in pieces', ['da', 'ta: {"i', 'd":1}\n', '\n'], [1], TAKEN],
  ['data in several lines', ['data: {"id":\ndata: 1}\n\n'], [1], TAKEN],
  ['a list of messages', ['data: [{"id":1},{"id":2}]\n\n'], [1, 2], TAKEN],
  ['an event without the empty line at its end', ['data: {"id":1}'], [1], TAKEN],
  ['lines that end with \\r', ['data: {"id":1}\r\rdata:{"id":2}\r', '\r'], [1, 2], TAKEN + TAKEN],
  ['a line end in two pieces', ['data: {"id":\r', '\ndata: 1}\r', '\n\r', '\n'], [1], TAKEN],
  ['an id to resume with', ['id: 7\nretry: 5\ndata: {"id":1}\n\n'], [1], `id: 7\nretry: 5\n${TAKEN}`],
  ['a request', ['data: {"id":1,"method":"ping"}\n\n'], [1], '\n\n'],
  ['null', ['data: null\n\n'], [undefined], TAKEN],
  ['text that is no JSON', ['data: hello\n\n'], [], '\n\n'],
  ['a comment', [': ping\n\n\n'], [], ': ping\n\n'],
  ['another event', ['event: endpoint\ndata: /m\n\n'], [], 'event: endpoint\ndata: /m\n\n'],
  ['half a message', ['data: {"id":'], [], '\n\n'],
])('takes the messages of %s', async (...[, chunks, ids, rest]) => {
  expect(await read(chunks)).toEqual({ ids, rest });
});

test('a message counts before the empty line that should follow it', async () => {
  const ids: unknown[] = [];
  const take = (message: Partial<RpcMessage>): void => void ids.push(message.id);
  const { writable, readable } = takenEvents({ take, onStray: ignore, onEndless: ignore, mostChars: 1_000 });
  void writable.getWriter().write('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n');
  await readable.getReader().read();
  expect(ids).toEqual([1]);
});

const long = 'x"{\\'.repeat(50);
const answerOf = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: { id: 9, text: long } });
const lastOf = (id: unknown): string => JSON.stringify({ result: { id: 9, text: long }, jsonrpc: '2.0', id });

test.each<[string, string, readonly unknown[], string]>([
  ['an answer', `data: ${answerOf(1)}\n\n`, ['error 1'], TAKEN],
  ['an answer with its id at the end', `event: message\ndata: ${lastOf('7')}\n\n`, ['error 7'], TAKEN],
  [
    'an answer over several lines',
    `data: {"jsonrpc":"2.0",\ndata:"id":3,\ndata: "result":"${'y'.repeat(99)}"}\n\n`,
    ['error 3'],
    TAKEN,
  ],
  ['an answer without the empty line', `data: ${answerOf(1)}`, ['error 1'], TAKEN],
  ['a notification', `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'log', params: long })}\n\n`, [], '\n\n'],
  ['a request', `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, params: long, method: 'x' })}\n\n`, [], '\n\n'],
  ['a comment', `: ${long}\n\n`, [], '\n\n'],
])('%s over the bound costs only its own call', async (...[, text, ids, rest]) => {
  const next = '\ndata: {"id":2}\n\n';
  const chunks = text.match(/.{1,7}/gs) ?? [];
  const { ids: found, rest: left } = await read([...chunks, ...(text.endsWith('\n') ? [next] : [])], 90);
  expect(found).toEqual(text.endsWith('\n') ? [...ids, 2] : ids);
  expect(left).toBe(text.endsWith('\n') ? rest + TAKEN : rest);
});

test('an event of many times the bound ends its stream', async () => {
  await expect(read(['data: ', ...Array<string>(100).fill('x'.repeat(10))], 9)).rejects.toThrow(/too large/);
});

test.each<[string, string, readonly unknown[]]>([
  ['NaN', '{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}', ['error 1']],
  ['a tab in a text', '{"result":{"a":"x\ty"},"id":"1","jsonrpc":"2.0"}', ['error 1']],
  ['a line that ends in the middle', '{"jsonrpc":"2.0","id":1,"result":{"a":"x', ['error 1']],
  ['a byte order mark', '\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}', [1]],
  ['two messages in a line', '{"jsonrpc":"2.0","method":"log"} {"jsonrpc":"2.0","id":1,"result":{}}', [undefined, 1]],
  ['the length of the next message', '{"jsonrpc":"2.0","id":1,"result":{}}Content-Length: 7', [1]],
])('text with %s still ends its call', (...[, text, ids]) => {
  const found: unknown[] = [];
  takeMessages(text, ({ id, error }) => void found.push(error ? `error ${String(id)}` : id));
  expect(found).toEqual(ids);
});

test.each(['', 'INFO {"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","i', '{"id":1,"result":NaN}'])(
  'the text %s is no message',
  (text) => {
    expect(() => takeMessages(text, ignore)).toThrow(SyntaxError);
  },
);
