import { expect, test } from 'vitest';
import { EndpointRecovery } from './endpoint-recovery.ts';

const HOUR = 3_600_000;
const { signal } = new AbortController();

test('the calls that wait for an endpoint start again soon after it has answered one', async () => {
  const recovery = new EndpointRecovery();
  let isUp = false;
  const down = { delayMs: HOUR, isOver: () => isUp, isDown: true, spreadMs: 5, signal };
  const probing = new AbortController();
  const probe = recovery.wait({}, { ...down, signal: probing.signal });
  const waiting = Array.from({ length: 50 }, () => recovery.wait({}, down));
  recovery.answered(recovery.sent());
  isUp = true;
  recovery.answered(recovery.sent());
  expect(await Promise.all([probe, ...waiting])).toHaveLength(51);
});

test('one call at a time probes an endpoint that is down, and another one after its end', async () => {
  const recovery = new EndpointRecovery();
  const stop = new AbortController();
  const first = {};
  const second = {};
  const down = { delayMs: HOUR, isOver: () => false, isDown: true, spreadMs: 0, signal: stop.signal };
  const started: string[] = [];
  const note = (name: string) => (): void => void started.push(name);
  const one = recovery.wait(first, { ...down, delayMs: 1 }).then(note('first'));
  const two = recovery.wait(second, down).then(note('second'), note('stopped'));
  await one;
  expect(started).toEqual(['first']);
  recovery.over(first);
  stop.abort();
  await two;
  expect(started).toEqual(['first', 'stopped']);
});

test('an aborted wait rejects, before and after it is woken', async () => {
  const recovery = new EndpointRecovery();
  const stop = new AbortController();
  const wait = { delayMs: HOUR, isOver: () => true, isDown: false, spreadMs: HOUR, signal: stop.signal };
  const waits = [recovery.wait({}, wait), recovery.wait({}, { ...wait, isOver: () => false })];
  recovery.answered(recovery.sent());
  stop.abort();
  for (const end of await Promise.allSettled(waits)) expect(end).toMatchObject({ reason: { name: 'AbortError' } });
});

test('a call that is woken at the end of its wait starts at once, without a warning of Node', async () => {
  const recovery = new EndpointRecovery();
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  const waiting = recovery.wait({}, { delayMs: 1, isOver: () => true, isDown: false, spreadMs: HOUR, signal });
  const end = performance.now() + 5;
  while (performance.now() < end);
  recovery.answered(recovery.sent());
  await waiting;
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
