import { setImmediate as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import type { RunEnd } from '@data-designer/engine';
import { runStages } from './run-stages.ts';
import type { Stage } from './stage.ts';

const stage = (name: string, dependsOn: readonly string[] = []): Stage => ({ name, dependsOn }) as Stage;
const END: RunEnd = { code: 'run/budget-spent', message: 'spent' };

test('each stage begins once those that it reads are done, at most four at a time', async () => {
  const begun: string[] = [];
  const done: string[] = [];
  let most = 0;
  const stages = [stage('f', ['a', 'e']), ...['a', 'b', 'c', 'd', 'e'].map((name) => stage(name))];
  const ended = await runStages(stages, async ({ name, dependsOn }) => {
    expect(dependsOn.every((one) => done.includes(one))).toBe(true);
    begun.push(name);
    most = Math.max(most, begun.length - done.length);
    await later();
    done.push(name);
    return null;
  });
  expect(ended).toBeNull();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(most).toBe(4);
});

test('a stage that ends early drains the others, and no further one begins', async () => {
  const begun: string[] = [];
  const ended = await runStages([stage('a'), stage('b'), stage('c', ['a'])], async ({ name }, drain) => {
    begun.push(name);
    if (name === 'a') return END;
    while (!drain.aborted) await later();
    throw new DataDesignerError('run/aborted', { reason: 'drained' });
  });
  expect(ended).toBe(END);
  expect(begun).toEqual(['a', 'b']);
});

test('the first failure is thrown, also where another stage has ended early', async () => {
  const first = new Error('first');
  const failing = runStages([stage('a'), stage('b')], async ({ name }, drain) => {
    if (name === 'a') throw first;
    while (!drain.aborted) await later();
    throw new Error('second');
  });
  await expect(failing).rejects.toBe(first);
  const aborted = runStages([stage('a')], () => Promise.reject(new DataDesignerError('run/aborted', {} as never)));
  await expect(aborted).rejects.toMatchObject({ code: 'run/aborted' });
});

test('a stage whose input never comes is left out', async () => {
  const begun: string[] = [];
  await runStages([stage('a'), stage('b', ['gone'])], ({ name }) => {
    begun.push(name);
    return Promise.resolve(null);
  });
  expect(begun).toEqual(['a']);
});
