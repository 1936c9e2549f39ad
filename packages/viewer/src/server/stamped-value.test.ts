import { expect, test } from 'vitest';
import { StampedValue } from './stamped-value.ts';

test('a value is read once per stamp', async () => {
  const value = new StampedValue<number>();
  let readings = 0;
  const read = () => Promise.resolve(++readings);
  expect(await Promise.all([value.get('a', read), value.get('a', read)])).toEqual([1, 1]);
  expect(await value.get('b', read)).toBe(2);
  expect(await value.get('a', read)).toBe(3);
});

test('a failed reading is repeated, and does not remove the value of a later stamp', async () => {
  const value = new StampedValue<string>();
  const { promise, reject } = Promise.withResolvers<string>();
  const failing = value.get('a', () => promise);
  expect(await value.get('b', () => Promise.resolve('later'))).toBe('later');
  reject(new Error('gone'));
  await expect(failing).rejects.toThrow('gone');
  expect(await value.get('b', () => Promise.resolve('read again'))).toBe('later');
  await expect(value.get('c', () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
  expect(await value.get('c', () => Promise.resolve('repaired'))).toBe('repaired');
});
