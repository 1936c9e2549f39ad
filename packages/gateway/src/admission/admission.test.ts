import { expect, test } from 'vitest';
import { Admission, AdmissionPool, type Permit } from './admission.ts';
import { ANSWERED, fixedLimit, type PermitSource } from './permit-source.ts';

test('admission grants up to the limit, then the oldest row first regardless of request order', () => {
  const admission = new Admission(fixedLimit(2));
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

test('requests of one row are granted in request order', () => {
  const admission = new Admission(fixedLimit(1));
  const order: string[] = [];
  let first: Permit | undefined;
  admission.request(0, (permit) => (first = permit));
  admission.request(4, (permit) => (order.push('a'), permit.release()));
  admission.request(4, (permit) => (order.push('b'), permit.release()));
  first?.release();
  expect(order).toEqual(['a', 'b']);
});

test('a withdrawn request is never granted, and a permit released twice counts once', () => {
  const admission = new Admission(fixedLimit(1));
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

test('a permit is taken at once only if one is free and no call waits', () => {
  const admission = new Admission(fixedLimit(1));
  const taken = admission.take();
  expect(taken).toBeDefined();
  expect(admission.take()).toBeUndefined();
  expect([admission.inFlight, admission.waiting]).toEqual([1, 0]);
  taken?.release();
  admission.take()?.release();
  expect(admission.inFlight).toBe(0);
  admission.pause();
  expect(admission.take()).toBeUndefined();
  expect(admission.waiting).toBe(0);
});

test('an aborted signal ends a wait, and the permit goes to the next call', async () => {
  const admission = new Admission(fixedLimit(1));
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

test('a withdrawn request no longer counts as waiting, even if withdrawn twice', () => {
  const admission = new Admission(fixedLimit(1));
  admission.request(0, () => {});
  const withdraw = admission.request(1, () => {});
  expect(admission.waiting).toBe(1);
  withdraw();
  withdraw();
  expect(admission.waiting).toBe(0);
});

test('a paused admission grants nothing and keeps its waiting requests', () => {
  const admission = new Admission(fixedLimit(2));
  let held: Permit | undefined;
  admission.request(0, (permit) => (held = permit));
  admission.pause();
  let granted = false;
  admission.request(1, () => (granted = true));
  held?.release();
  expect(granted).toBe(false);
  expect(admission.waiting).toBe(1);
});

test('the resources of a pool stay within its cap together, and none starves another', () => {
  const pool = new AdmissionPool(4);
  const [chat, vectors] = [new Admission(fixedLimit(4), { pool }), new Admission(fixedLimit(4), { pool })];
  const permits: Permit[] = [];
  const order: string[] = [];
  const ask = (admission: Admission, name: string) =>
    admission.request(0, (permit) => {
      permits.push(permit);
      order.push(name);
    });
  for (let wish = 0; wish < 8; wish++) ask(chat, 'chat');
  for (let wish = 0; wish < 8; wish++) ask(vectors, 'vectors');
  expect(order).toEqual(['chat', 'chat', 'chat', 'chat']);
  for (let ends = 0; ends < 4; ends++) permits.shift()?.release();
  expect([chat.inFlight, vectors.inFlight]).toEqual([2, 2]);
  for (let ends = 0; ends < 4; ends++) permits.shift()?.release();
  expect([chat.inFlight, vectors.inFlight]).toEqual([2, 2]);
});

test('admission follows a computed limit after a change', () => {
  let places = 1;
  const admission = new Admission(fixedLimit(() => places));
  const order: number[] = [];
  for (const row of [0, 1, 2]) admission.request(row, () => order.push(row));
  expect(order).toEqual([0]);
  places = 3;
  admission.serve();
  expect(order).toEqual([0, 1, 2]);
});

test('thousands of requests that release their permit at once are served without a stack overflow', () => {
  const admission = new Admission(fixedLimit(1));
  let first: Permit | undefined;
  let served = 0;
  admission.request(0, (permit) => (first = permit));
  for (let row = 1; row <= 20_000; row++) {
    admission.request(row, (permit) => {
      served++;
      permit.release();
    });
  }
  first?.release();
  expect(served).toBe(20_000);
});

/** A clock that advances by 1 ms on each read; tests call its timers themselves. */
function steppingClock() {
  const timers: (() => void)[] = [];
  let time = 0;
  const after = (_: number, call: () => void): (() => void) => {
    timers.push(call);
    return () => {};
  };
  return { clock: { now: () => time++, after }, timers };
}

/** A source that grants no permits before `end`. */
function stoppedUntil(end: number): PermitSource {
  return {
    ...fixedLimit(1),
    permits: (time) => (time < end ? 0 : 1),
    untilMore: (time) => (time < end ? end - time : undefined),
  };
}

test('a stop that ends during a check triggers another check', () => {
  for (let end = 1; end < 6; end++) {
    const { clock, timers } = steppingClock();
    const admission = new Admission(stoppedUntil(end), { clock });
    let granted = false;
    admission.request(0, () => (granted = true));
    while (timers.length > 0) timers.shift()?.();
    expect(granted).toBe(true);
  }
});

test('`open` admits all requests even if the source is stopped', () => {
  const { clock } = steppingClock();
  const admission = new Admission(stoppedUntil(1e9), { clock });
  let granted = 0;
  for (let row = 0; row < 5; row++) admission.request(row, () => granted++);
  expect(granted).toBe(0);
  expect(admission.stoppedMs).toBeGreaterThan(1e8);
  admission.open();
  expect(granted).toBe(5);
  expect(admission.stoppedMs).toBe(0);
});

test('`take` returns no permit while requests wait, even if one has become free', () => {
  let places = 1;
  const admission = new Admission(fixedLimit(() => places));
  const order: number[] = [];
  for (const row of [5, 6]) admission.request(row, () => order.push(row));
  places = 2;
  expect(admission.take()).toBeUndefined();
  expect([order, admission.waiting]).toEqual([[5], 1]);
  admission.serve();
  expect(order).toEqual([5, 6]);
});

test('`onChange` fires after an answer or a refusal, which may have changed the limit, and not otherwise', () => {
  let changes = 0;
  const admission = new Admission(fixedLimit(2), { onChange: () => changes++ });
  admission.take()?.release();
  expect(changes).toBe(0);
  admission.take()?.release(ANSWERED);
  expect(changes).toBe(1);
  admission.take()?.release({ kind: 'refused', retryAfterMs: undefined });
  expect(changes).toBe(2);
});
