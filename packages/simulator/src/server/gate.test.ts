import { expect, test } from 'vitest';
import { startSimulator } from '../start-simulator.ts';
import { Gate } from './gate.ts';

const question = (text: string) => ({ model: 'sim-small', messages: [{ role: 'user', content: text }] });

test('a gate holds everything after the given number, and releases it in order', () => {
  const gate = new Gate();
  const passed: number[] = [];
  const pass = (...numbers: readonly number[]) => {
    for (const number of numbers) gate.pass(() => passed.push(number));
  };
  pass(1);
  gate.holdAfter(2);
  pass(2, 3, 4, 5);
  expect(passed).toEqual([1, 2, 3]);
  gate.release();
  pass(6);
  expect(passed).toEqual([1, 2, 3, 4, 5, 6]);
  gate.holdAfter(0);
  pass(7, 8);
  gate.release(1);
  pass(9, 10);
  expect(passed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  pass(11);
  gate.releaseHeld(1);
  pass(12);
  expect(passed.at(-1)).toBe(10);
  gate.releaseHeld(5);
  pass(13);
  expect(passed.slice(9)).toEqual([10, 11, 12]);
});

test('held answers count as in flight until they are released', async () => {
  await using simulator = await startSimulator('--latency', '1');
  await simulator.holdAfter(1);
  const answers = ['a', 'b', 'c'].map((text) => simulator.post(question(text)));
  await Promise.race(answers);
  await expect.poll(async () => (await simulator.stats()).inFlight).toBe(2);
  expect((await simulator.stats()).answers).toBe(1);
  await simulator.release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await simulator.stats()).answers).toBe(3);
});

test('an answer whose client leaves while it is held is not bought', { tags: 'long' }, async () => {
  await using simulator = await startSimulator();
  await simulator.holdAfter(0);
  const leave = new AbortController();
  const body = JSON.stringify(question('a'));
  const asking = fetch(`${simulator.url}/chat/completions`, { method: 'POST', body, signal: leave.signal });
  await expect.poll(async () => (await simulator.stats()).inFlight).toBe(1);
  leave.abort();
  await expect(asking).rejects.toThrow(/abort/);
  await expect.poll(async () => (await simulator.stats()).inFlight).toBe(0);
  await simulator.release();
  expect(await simulator.stats()).toMatchObject({ answers: 0, byStatus: { aborted: 1 } });
});
