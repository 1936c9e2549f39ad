import {
  type CellValue,
  DataDesignerError,
  type Fields,
  messageOf,
  Random,
  type UserFunction,
} from '@data-designer/core';
import { expect, test } from 'vitest';
import { defineEnvironment } from './code/define-environment.ts';
import type { EnvironmentConfig, EnvironmentKind, OpenEnvironment } from './environment-kind.ts';
import { environmentKinds } from './environment-kinds.ts';

/** A world of each kind with one number, 100, which the tool `change` changes by `by`, unless it would be negative. */
const EXAMPLES: Readonly<Record<string, object>> = {
  sqlite: {
    name: 'world',
    kind: 'sqlite',
    schema: 'CREATE TABLE number (n INTEGER CHECK (n >= 0))',
    rows: { number: [{ n: 100 }] },
    tools: [
      {
        name: 'change',
        parameters: { type: 'object', properties: { by: { type: 'integer' } } },
        sql: 'UPDATE number SET n = n + :by RETURNING n',
      },
    ],
  },
  code: defineEnvironment({
    name: 'world',
    open: () => ({ n: 100 }),
    tools: {
      change: {
        parameters: { type: 'object', properties: { by: { type: 'integer' } } },
        execute: ({ by }, state: { n: number }) => {
          state.n += Number(by);
          if (state.n < 0) throw new Error('it would be negative');
          return [{ n: state.n }];
        },
      },
    },
  }),
};

/** Calls functions as an engine does: with copies, and what they throw as a failure. */
async function callFunction(handle: unknown, args: readonly unknown[], given: Fields): Promise<unknown> {
  try {
    return await (handle as UserFunction)(...([...structuredClone(args), given] as never));
  } catch (thrown) {
    throw new DataDesignerError('function/threw', { function: 'change', reason: messageOf(thrown) });
  }
}

async function openExample(kind: EnvironmentKind): Promise<OpenEnvironment> {
  const parsed = kind.schema.parse(EXAMPLES[kind.kind]) as unknown as EnvironmentConfig;
  const values = Object.fromEntries(kind.templates(parsed).map(({ source, field }) => [field.join('.'), source]));
  return kind.open(parsed, { rowIndex: 0, values, random: Random.of(1, 'world').at(0), callFunction });
}

async function change(world: OpenEnvironment, by: number): Promise<CellValue> {
  const { text, failed } = await world.call({
    name: 'change',
    arguments: { by },
    random: Random.of(1, 'world').at(0, 0, 1),
    signal: new AbortController().signal,
  });
  return failed ? 'failed' : (JSON.parse(text) as CellValue);
}

test('every kind has an example', () => {
  expect(environmentKinds.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
});

test.each(environmentKinds.map((kind) => [kind.kind, kind] as const))(
  '%s: a world has its tools and its state',
  async (_, kind) => {
    const world = await openExample(kind);
    expect(world.tools).toMatchObject([{ name: 'change', parameters: { type: 'object' } }]);
    expect(kind.tools(kind.schema.parse(EXAMPLES[kind.kind]) as unknown as EnvironmentConfig)).toEqual(world.tools);
    expect(await change(world, 5)).toEqual([{ n: 105 }]);
    const state = JSON.stringify(await world.snapshot());
    expect(state).toContain('105');
    expect(JSON.stringify(await world.snapshot())).toBe(state);
    world.close();
  },
);

test.each(environmentKinds.map((kind) => [kind.kind, kind] as const))(
  '%s: a call that fails changes nothing, and an unknown tool is a failed call',
  async (_, kind) => {
    const world = await openExample(kind);
    const before = await world.snapshot();
    expect(await change(world, -101)).toBe('failed');
    expect(await world.snapshot()).toEqual(before);
    const unknown = await world.call({
      name: 'other',
      arguments: {},
      random: Random.of(1, 'world').at(0),
      signal: new AbortController().signal,
    });
    expect(unknown.failed).toBe(true);
    world.close();
  },
);

test.each(environmentKinds.map((kind) => [kind.kind, kind] as const))(
  '%s: undo returns to the last mark, and a release keeps the state',
  async (_, kind) => {
    const world = await openExample(kind);
    world.mark();
    await change(world, 1);
    world.mark();
    await change(world, 1);
    expect(await change(world, 0)).toEqual([{ n: 102 }]);
    world.undo();
    expect(await change(world, 0)).toEqual([{ n: 101 }]);
    world.release();
    expect(await change(world, 2)).toEqual([{ n: 103 }]);
    world.undo();
    expect(await change(world, 0)).toEqual([{ n: 100 }]);
    await change(world, 7);
    world.release();
    expect(await change(world, 0)).toEqual([{ n: 107 }]);
    world.close();
  },
);

test.each(environmentKinds.map((kind) => [kind.kind, kind] as const))(
  '%s: a fork goes its own way',
  async (_, kind) => {
    const world = await openExample(kind);
    await change(world, 1);
    const fork = world.fork();
    await change(world, 10);
    await change(fork, 100);
    expect([await change(world, 0), await change(fork, 0)]).toEqual([[{ n: 111 }], [{ n: 201 }]]);
    world.close();
    expect(await change(fork, 0)).toEqual([{ n: 201 }]);
    fork.close();
  },
);
