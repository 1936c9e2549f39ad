import { expect, test } from 'vitest';
import { OPEN_ROWS, type Resource } from '@data-designer/core';
import { VirtualTime } from '../../test/virtual-time.ts';
import { Admission, type Permit } from './admission.ts';
import type { MachineShares, MachineUse } from './cluster-limits.ts';
import { ClusterShares } from './cluster-shares.ts';
import { ANSWERED } from './permit-source.ts';
import { ResourceQueues } from './resource-queues.ts';

const MODEL: Resource = { id: 'm', kind: 'model', provider: 'here', limit: 100, pool: 'm' };

/** A machine with one model, whose exchanges are answered with these permits, or not at all. */
function machine(permits: number, maxCost: number | null = null, machines = 4) {
  const time = new VirtualTime();
  const asked: { readonly at: number; readonly use: MachineUse }[] = [];
  const state = { permits, isReachable: true, mayCost: 0, spent: 0 };
  const shares = new ClusterShares({
    maxCost,
    clock: time,
    exchange: (use) => {
      asked.push({ at: time.now(), use });
      const { mayCost, spent } = state;
      const m = { permits: state.permits, limit: 100, round: 0, stoppedMs: 0 };
      const answer: MachineShares = { resources: { m }, machines, spent, mayCost };
      if (state.isReachable) time.after(1, () => shares.take(answer));
    },
  });
  const admission = new Admission(shares.source(MODEL), { clock: time });
  const held: Permit[] = [];
  const ask = (calls: number): void => {
    for (let call = 0; call < calls; call++) admission.request(call, (permit) => held.push(permit));
  };
  shares.begin(() => admission);
  return { time, asked, state, shares, admission, held, ask };
}

test('a machine grants its share, exchanges every two seconds, and reports what it uses', () => {
  const { time, asked, held, ask } = machine(5);
  time.run(10);
  ask(3);
  time.run(10_500);
  expect(held.length).toBe(3);
  expect(asked.map(({ at }) => Math.round(at / 1000))).toEqual([0, 2, 4, 6, 8, 10]);
  expect(asked.at(-1)?.use.resources.m).toMatchObject({ inFlight: 3, permits: { held: 4, wanted: 4 } });
});

test.each([
  [1, 2],
  [4, 2],
  [6, 2.7],
  [8, 3.5],
  [100, 3.5],
])('of %d machines each exchanges every %d s', (machines, seconds) => {
  const { time, asked } = machine(4, null, machines);
  time.run(15_000);
  const pauses = asked.slice(1).map(({ at }, index) => (at - (asked[index]?.at ?? 0)) / 1000);
  for (const pause of pauses) expect(pause).toBeCloseTo(seconds, 1);
});

test('a machine whose calls wait asks sooner, and less often while its share does not grow', () => {
  const { time, asked, ask } = machine(2);
  ask(10);
  time.run(20_000);
  const pauses = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
  expect(pauses[1]).toBeLessThan(200);
  expect(pauses.at(-1)).toBeGreaterThan(1900);
  expect(asked.at(-1)?.use.resources.m?.permits).toEqual({ held: 2, wanted: 10 });
});

test('a call on a machine without a share asks for one at once', () => {
  const { time, state, held, ask } = machine(0);
  time.run(500);
  state.permits = 5;
  ask(1);
  time.run(520);
  expect(held.length).toBe(1);
});

test('rows that wait for a larger share open as soon as the machine has it', () => {
  const time = new VirtualTime();
  const state = { permits: 4 };
  const shares = new ClusterShares({
    maxCost: null,
    clock: time,
    exchange: () => {
      const m = { permits: state.permits, limit: 100, round: 0, stoppedMs: 0 };
      time.after(1, () => shares.take({ resources: { m }, machines: 25, spent: 0, mayCost: 0 }));
    },
  });
  const queues = new ResourceQueues([MODEL], { cluster: shares });
  shares.begin((resource) => queues.admission(resource));
  time.run(10);
  let rows = 0;
  for (let row = 0; row < 100; row++) queues.admission(OPEN_ROWS).request(row, () => void rows++);
  expect(rows).toBe(8);
  state.permits = 50;
  // 25 machines exchange every 3.5 s.
  time.run(3520);
  expect(rows).toBe(100);
});

test('permits that no call has needed for a while go back early, without those in flight', () => {
  const { time, asked, held, ask } = machine(40);
  ask(40);
  time.run(2500);
  const before = asked.length;
  for (const permit of held.splice(0, 30)) permit.release(ANSWERED);
  time.run(3000);
  expect(asked.slice(before).map(({ use }) => use.resources.m?.permits)).toEqual([{ held: 13, wanted: 13 }]);
});

test('permits between two waves of calls stay', () => {
  const { time, asked, held, ask } = machine(40);
  for (let wave = 0; wave < 10; wave++) {
    ask(40);
    time.run(wave * 1000 + 800);
    for (const permit of held.splice(0)) permit.release(ANSWERED);
    time.run(wave * 1000 + 1000);
  }
  expect(asked.at(-1)?.use.resources.m?.permits.held).toBe(40);
  expect(asked.length).toBeLessThanOrEqual(7);
});

test('a machine with less than it wants asks no sooner after a moment without waiting calls', () => {
  const { time, asked, held, ask } = machine(10);
  for (let wave = 0; wave < 100; wave++) {
    ask(20);
    time.run(wave * 700 + 450);
    while (held.length > 0) for (const permit of held.splice(0)) permit.release(ANSWERED);
    time.run((wave + 1) * 700);
  }
  const pauses = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
  expect(pauses.filter((pause) => pause < 1000).length).toBeLessThanOrEqual(8);
});

test('a look at the state of a model without permits asks for none', () => {
  const { time, asked, admission } = machine(0);
  for (let look = 0; look < 100; look++) {
    time.run(look * 100);
    expect(admission.stoppedMs).toBe(0);
  }
  expect(asked.length).toBeLessThanOrEqual(6);
});

test('without an answer the permits end six seconds after the last exchange that was answered', () => {
  const { time, asked, state, held, ask } = machine(5);
  time.run(10);
  ask(3);
  time.run(3000);
  state.isReachable = false;
  const last = asked.at(-1)?.at ?? 0;
  time.run(last + 5990);
  ask(1);
  expect(held.length).toBe(4);
  time.run(last + 6010);
  held.pop()?.release(ANSWERED);
  ask(1);
  expect(held.length).toBe(3);
});

test('a refused request is not sent again before the machine has a new share', () => {
  const { time, asked, admission, held, ask } = machine(5);
  time.run(10);
  ask(8);
  expect(admission.inFlight).toBe(5);
  for (const permit of held.splice(0, 3)) permit.release({ kind: 'refused', retryAfterMs: undefined });
  held[0]?.release(ANSWERED);
  expect(admission.inFlight).toBe(2);
  const before = asked.length;
  time.run(40);
  expect(asked.slice(before).map(({ use }) => use.resources.m?.ends)).toEqual([
    { '0': { answered: 1, refused: 3, lowest: 0.2 } },
  ]);
});

test('a machine stops where its part of the budget ends, goes on with a larger one, and ends once all is spent', () => {
  const { time, state, shares, held, ask } = machine(5, 1);
  const ledger = shares.ledger({ maxCost: 1, spentBefore: 0 });
  state.mayCost = 100_000;
  time.run(3000);
  ask(1);
  ledger.add(0.1);
  ask(1);
  expect(held.length).toBe(1);
  state.mayCost = 200_000;
  time.run(3500);
  expect([held.length, ledger.spent.aborted]).toEqual([2, false]);
  state.spent = 1_000_000;
  time.run(8000);
  expect(ledger.spent.reason).toMatchObject({ code: 'run/budget-spent', data: { maxCost: 1, cost: 1 } });
});

test('a machine reports at its end what its last answers have cost, unless the others know it', () => {
  const { time, asked, state, shares } = machine(5, 1);
  const ledger = shares.ledger({ maxCost: 1, spentBefore: 0 });
  state.mayCost = 500_000;
  time.run(10);
  ledger.add(0.1);
  shares.end();
  shares.end();
  expect(asked.slice(1).map(({ use }) => use)).toEqual([{ resources: {}, spent: 100_000 }]);
  const known = machine(5, 1);
  known.shares.ledger({ maxCost: 1, spentBefore: 0 }).add(0.1);
  known.time.run(3000);
  const before = known.asked.length;
  known.shares.end();
  expect(known.asked.slice(before)).toEqual([]);
});

test('after a suspension a machine sends nothing until an exchange has reported it', () => {
  const { time, asked, shares, held, ask } = machine(5);
  time.run(2100);
  // An exchange is open when the machine is suspended; its answer comes after it.
  shares.exchangeNow();
  time.run(time.now() + 300);
  time.suspend(3000);
  const before = asked.length;
  ask(2);
  expect(held.length).toBe(0);
  time.run(time.now() + 200);
  expect(asked[before]?.use).toMatchObject({ wasSuspended: true });
  expect(held.length).toBe(2);
  time.run(time.now() + 3000);
  expect(asked.length).toBeGreaterThan(before + 1);
  expect(asked.slice(before + 1).filter(({ use }) => use.wasSuspended)).toEqual([]);
});

test('the answer to an exchange that was asked before a suspension brings no shares', () => {
  const time = new VirtualTime();
  const asked: MachineUse[] = [];
  const shares = new ClusterShares({ maxCost: null, clock: time, exchange: (use) => void asked.push(use) });
  const admission = new Admission(shares.source(MODEL), { clock: time });
  shares.begin(() => admission);
  const answer = {
    resources: { m: { permits: 5, limit: 100, round: 0, stoppedMs: 0 } },
    machines: 1,
    spent: 0,
    mayCost: 0,
  };
  let granted = 0;
  admission.request(0, () => granted++);
  time.suspend(3000);
  admission.request(1, () => granted++);
  shares.take(answer);
  expect(granted).toBe(0);
  time.run(time.now() + 100);
  expect(asked.map(({ wasSuspended = false }) => wasSuspended)).toEqual([false, true]);
  shares.take(answer);
  expect(granted).toBe(2);
  shares.end();
});
