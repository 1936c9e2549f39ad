import { expect, test } from 'vitest';
import type { JoinTarget } from './find-runs.ts';
import { OpenParts } from './open-parts.ts';

const target = (run: string) => ({ run }) as JoinTarget;

test('a part is open until its work ends, which is a change', async () => {
  const parts = new OpenParts();
  const work = Promise.withResolvers<void>();
  parts.add(target('a'), work.promise);
  parts.add(target('b'), Promise.resolve());
  await parts.change();
  expect([...parts.taken.keys()]).toEqual(['a']);
  let hasEnded = false;
  const ended = parts.ended().then(() => (hasEnded = true));
  parts.wake();
  await parts.change();
  expect(hasEnded).toBe(false);
  work.resolve();
  await ended;
  expect([parts.taken.size, parts.failing.aborted]).toEqual([0, false]);
});

test('a wait for a change ends after its time, and a change that came before ends the next one', async () => {
  const parts = new OpenParts();
  await parts.change(1);
  parts.wake();
  await parts.change();
  let hasChanged = false;
  const change = parts.change().then(() => (hasChanged = true));
  await new Promise(setImmediate);
  expect(hasChanged).toBe(false);
  parts.wake();
  await change;
});

test('the first failure ends all parts, and is thrown once they have ended', async () => {
  const parts = new OpenParts();
  const failure = new Error('first');
  const slow = Promise.withResolvers<void>();
  parts.add(target('a'), Promise.reject(failure));
  parts.add(target('b'), slow.promise);
  await parts.change();
  expect([parts.failing.aborted, parts.failing.reason]).toEqual([true, failure]);
  parts.fail(new Error('second'));
  slow.resolve();
  await expect(parts.ended()).rejects.toBe(failure);
  expect(parts.taken.size).toBe(0);
});
