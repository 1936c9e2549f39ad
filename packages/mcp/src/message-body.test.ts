import { expect, test } from 'vitest';
import type { RpcMessage } from './link.ts';
import { takenEvents } from './message-body.ts';

/** The messages in an event stream, and what is left of it. */
async function read(chunks: readonly string[]): Promise<{ readonly ids: readonly unknown[]; readonly rest: string }> {
  const ids: unknown[] = [];
  const stream = new ReadableStream<string>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const taken = takenEvents((message: Partial<RpcMessage>) => ids.push(message.id));
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
  const { writable, readable } = takenEvents((message) => ids.push(message.id));
  void writable.getWriter().write('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n');
  await readable.getReader().read();
  expect(ids).toEqual([1]);
});
