import { expect, test } from 'vitest';
import { abortableRows } from './abortable-rows.ts';

test.each([
  ['a list', [1, 2]],
  [
    'a generator',
    (async function* () {
      yield* [1, 2];
    })(),
  ],
])('yields the rows of %s', async (_, rows) => {
  expect(await Array.fromAsync(abortableRows(rows, new AbortController().signal))).toEqual([1, 2]);
});

test('throws the reason of an abort while it waits for a row', async () => {
  const stop = new AbortController();
  const hanging = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  const reading = Array.fromAsync(abortableRows(hanging, stop.signal));
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('closes the iterator when reading stops', async () => {
  let isClosed = false;
  const rows = (function* () {
    try {
      yield 1;
      yield 2;
    } finally {
      isClosed = true;
    }
  })();
  for await (const _ of abortableRows(rows, new AbortController().signal)) break;
  expect(isClosed).toBe(true);
});
