import { expect, test } from 'vitest';
import type { UserFunction } from '@data-designer/core';
import { localFunctions } from './local-functions.ts';

const { signal } = new AbortController();

test('a function that runs for long is reported once while it runs, and one that ends soon is not', async () => {
  const waits: unknown[] = [];
  const ends = Promise.withResolvers<string>();
  const functions = new Map<string, UserFunction>([
    ['long', () => ends.promise],
    ['short', () => 'done'],
  ]);
  const reported = Promise.withResolvers<void>();
  const onWait = (...wait: unknown[]): void => {
    waits.push(wait);
    reported.resolve();
  };
  const caller = localFunctions(functions, { signal, onWait, longMs: 5 });
  expect(await caller.call({ handle: 'short' }, [])).toBe('done');
  const calling = caller.call({ handle: 'long' }, []);
  await reported.promise;
  ends.resolve('late');
  expect(await calling).toBe('late');
  expect(waits).toEqual([['long', 0]]);
});
