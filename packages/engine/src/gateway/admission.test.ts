import { expect, test } from 'vitest';
import { Admission, type Permit } from './admission.ts';

test('grants up to the limit, then the oldest row first whatever the order of asking', () => {
  const admission = new Admission(2);
  const order: number[] = [];
  const permits = new Map<number, Permit>();
  for (const row of [5, 9, 7, 1, 3]) {
    admission.request(row, (permit) => {
      order.push(row);
      permits.set(row, permit);
    });
  }
  expect(order).toEqual([5, 9]);
  permits.get(9)?.release();
  permits.get(5)?.release();
  expect(order).toEqual([5, 9, 1, 3]);
  permits.get(1)?.release();
  expect(order).toEqual([5, 9, 1, 3, 7]);
  expect(admission.inFlight).toBe(2);
});

test('among requests of one row the first to ask goes first', () => {
  const admission = new Admission(1);
  const order: string[] = [];
  let first: Permit | undefined;
  admission.request(0, (permit) => (first = permit));
  admission.request(4, (permit) => (order.push('a'), permit.release()));
  admission.request(4, (permit) => (order.push('b'), permit.release()));
  first?.release();
  expect(order).toEqual(['a', 'b']);
});

test('a withdrawn wish is never granted, and a permit given back twice counts once', () => {
  const admission = new Admission(1);
  let held: Permit | undefined;
  admission.request(0, (permit) => (held = permit));
  let granted = false;
  const withdraw = admission.request(1, () => (granted = true));
  withdraw();
  held?.release();
  held?.release();
  expect(granted).toBe(false);
  expect(admission.inFlight).toBe(0);
});

test('a wait ends with its signal, and its place goes to the next', async () => {
  const admission = new Admission(1);
  const held = await admission.acquire(0, new AbortController().signal);
  const stop = new AbortController();
  const given = admission.acquire(1, stop.signal);
  const next = admission.acquire(2, new AbortController().signal);
  stop.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  held.release();
  (await next).release();
  expect(admission.inFlight).toBe(0);
  await expect(admission.acquire(3, stop.signal)).rejects.toThrow('enough');
});
