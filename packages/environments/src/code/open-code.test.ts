import { Random, type UserFunction } from '@data-designer/core';
import { expect, test } from 'vitest';
import type { EnvironmentCall, OpenOptions } from '../environment-kind.ts';
import type { CodeConfig } from './code-config.ts';
import { defineEnvironment } from './define-environment.ts';
import { openCode } from './open-code.ts';

const random = Random.of(1, 'counter').at(0);

const counter = defineEnvironment({
  name: 'counter',
  open: () => ({ n: 0, hidden: true }),
  tools: { add: { parameters: { type: 'object' }, execute: (_, state: { n: number; hidden: boolean }) => ++state.n } },
  snapshot: ({ n }) => ({ n }),
}) as CodeConfig;

/** Calls a function with copies, as a run does. */
const callFunction = async (called: unknown, args: readonly unknown[], given: object) =>
  (called as UserFunction)(...([...structuredClone(args), given] as never));

/** Opens the world of a row. */
function open() {
  const reach = { callFunction } as unknown as OpenOptions;
  return openCode(counter, { ...reach, rowIndex: 0, values: {}, random });
}

const ask = () => Promise.reject(new Error('no model is asked'));

/** A call of its tool. */
function adding(signal: AbortSignal): EnvironmentCall {
  return { name: 'add', arguments: {}, random, signal, timeoutMs: 1_000, ask };
}

test('a snapshot shows what its function gives', async () => {
  const world = await open();
  const { signal } = new AbortController();
  expect(await world.call(adding(signal))).toMatchObject({
    text: '1',
  });
  expect(await world.snapshot()).toEqual({ n: 1 });
});

test('a call that nobody waits for changes nothing', async () => {
  const world = await open();
  await world.call(adding(AbortSignal.abort()));
  expect(await world.snapshot()).toEqual({ n: 0 });
});
