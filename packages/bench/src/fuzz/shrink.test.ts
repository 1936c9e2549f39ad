import { expect, test } from 'vitest';
import { shrink } from './shrink.ts';

const holds =
  (...parts: readonly string[]) =>
  async (text: string): Promise<boolean> =>
    parts.every((part) => text.includes(part));

test('removes text that a fault does not need', async () => {
  const text = `${'a'.repeat(500)}<${'b'.repeat(300)}>${'c'.repeat(77)}`;
  expect(await shrink(text, holds('<', '>'), { maxTries: 1000 })).toBe('<>');
  expect(await shrink(text, holds('<'), { maxTries: 1000 })).toBe('<');
});

test('a text that is needed in full stays whole', async () => {
  expect(await shrink('abc', holds('abc'), { maxTries: 100 })).toBe('abc');
  expect(await shrink('', holds(), { maxTries: 100 })).toBe('');
});

test('stops after maxTries with a text that still has the fault', async () => {
  let tries = 0;
  const isFaulty = async (text: string): Promise<boolean> => {
    tries++;
    return text.includes('x');
  };
  expect(await shrink(`${'a'.repeat(999)}x`, isFaulty, { maxTries: 3 })).toContain('x');
  expect(tries).toBe(3);
});
