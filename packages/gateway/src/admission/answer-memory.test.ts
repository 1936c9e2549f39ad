import { expect, test } from 'vitest';
import { AnswerMemory } from './answer-memory.ts';

/** Opens answers in a memory, and logs when their reading pauses and resumes. */
function opened(memory: AnswerMemory, names: readonly string[]) {
  const log: string[] = [];
  const shares = names.map((name) =>
    memory.open({ pause: () => log.push(`${name} waits`), resume: () => log.push(`${name} goes on`) }),
  );
  return { log, shares };
}

test('beyond the bound newer answers pause and the oldest continues, until all have arrived', () => {
  const { log, shares } = opened(new AnswerMemory(100), ['a', 'b', 'c']);
  const [a, b, c] = shares;
  a?.add(60);
  b?.add(60);
  c?.add(10);
  a?.add(60);
  expect(log).toEqual(['b waits', 'c waits']);
  a?.[Symbol.dispose]();
  expect(log.slice(2)).toEqual(['b goes on', 'c goes on']);
  b?.[Symbol.dispose]();
  c?.[Symbol.dispose]();
});

test('an answer releases its memory once', () => {
  const memory = new AnswerMemory(100);
  const { log, shares } = opened(memory, ['a', 'b']);
  shares[1]?.add(90);
  shares[1]?.[Symbol.dispose]();
  shares[1]?.[Symbol.dispose]();
  shares[0]?.add(50);
  const { log: later, shares: more } = opened(memory, ['c']);
  more[0]?.add(40);
  expect([...log, ...later]).toEqual([]);
  more[0]?.add(20);
  expect(later).toEqual(['c waits']);
});
