import { expect, test } from 'vitest';
import { type Ask, readAsk, readReply, type Reply, writeAsk, writeReply } from './channel-messages.ts';

const at = { resource: 'tools/it', row: 3, column: 'a', call: 1 };

test.each<Ask>([
  { kind: 'admit', id: 7, ...at },
  { kind: 'call', id: 8, call: { ...at, path: 'tools/call', timeoutMs: 60_000 }, body: '{}' },
  { kind: 'call', id: 9, call: { ...at, path: 'chat/completions', timeoutMs: 1 }, body: new Uint8Array([1, 2]) },
  {
    kind: 'call',
    id: 9,
    call: {
      ...at,
      path: 'chat/completions',
      timeoutMs: 1,
      deadlineMs: undefined,
      maxAnswerBytes: 9,
      origin: { alias: 'writer', purpose: 'first' },
    },
    body: '{}',
  },
  {
    kind: 'call',
    id: 9,
    call: {
      ...at,
      path: 'chat/completions',
      timeoutMs: 1,
      deadlineMs: undefined,
      maxAnswerBytes: undefined,
      pictures: 'tool',
    },
    body: '{}',
  },
  { kind: 'tools', id: 10, provider: 'it' },
  { kind: 'cancel', row: 3, finishCalls: true },
  { kind: 'release', row: 3, column: 'a', call: 1 },
])('a request crosses the channel unchanged: $kind', (ask) => {
  expect(readAsk(structuredClone(writeAsk(ask)))).toEqual(ask);
});

const tries = { requests: 3, refused: 2, possiblyPaid: 0 };

test.each<Reply>([
  { kind: 'admitted', id: 7 },
  { kind: 'outcome', id: 8, outcome: { status: 200, headers: {} }, body: '' },
  { kind: 'outcome', id: 9, outcome: { status: 429, headers: { a: '1', b: '2' }, tries }, body: 'no' },
  { kind: 'outcome', id: 10, outcome: { status: 403, headers: { a: '1' }, verdict: 'about-this' }, body: 'no' },
  { kind: 'tools', id: 11, schemas: [] },
  { kind: 'failed', id: 12, failure: { code: 'run/aborted', message: 'Enough.', data: {} } },
])('a reply crosses the channel unchanged: $kind', (reply) => {
  expect(readReply(structuredClone(writeReply(reply)))).toEqual(reply);
});

test('a call of a function has the values of its row', () => {
  const values = { a: 12345678901234567890n, b: [{ c: null }] };
  const call = { ...at, path: 'tools/call', timeoutMs: 5, values: () => values } as const;
  const read = readAsk(structuredClone(writeAsk({ kind: 'call', id: 1, call, body: '{}' })));
  expect(read.kind === 'call' && read.call.values?.()).toEqual(values);
});

test('frequent messages cross the channel as lists without objects', () => {
  const call: Ask = { kind: 'call', id: 1, call: { ...at, path: 'tools/call', timeoutMs: 5 }, body: '{}' };
  const outcome: Reply = { kind: 'outcome', id: 1, outcome: { status: 200, headers: { a: '1' } }, body: '{}' };
  for (const line of [writeAsk(call), writeReply(outcome)]) {
    expect(Array.isArray(line) && line.every((part) => typeof part !== 'object' || part === null)).toBe(true);
  }
});
