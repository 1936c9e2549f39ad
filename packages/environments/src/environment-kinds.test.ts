import {
  type CallOutcome,
  type CellValue,
  DataDesignerError,
  type Fields,
  messageOf,
  Random,
  type UserFunction,
} from '@data-designer/core';
import { expect, test } from 'vitest';
import { defineEnvironment } from './code/define-environment.ts';
import type {
  EnvironmentCall,
  EnvironmentConfig,
  EnvironmentKind,
  OpenEnvironment,
  WorldServer,
} from './environment-kind.ts';
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
  mcp: { name: 'world', kind: 'mcp', provider: 'numbers', snapshot: { tool: 'read' } },
  simulated: {
    name: 'world',
    kind: 'simulated',
    modelAlias: 'player',
    state: { n: 100 },
    tools: [
      {
        name: 'change',
        parameters: { type: 'object', properties: { by: { type: 'integer' } } },
        outputSchema: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
      },
    ],
  },
};

/** Plays the tool `change` as a model would. */
async function ask({ prompt }: { readonly prompt: string }): Promise<CellValue> {
  const [, state = '', , call = ''] = prompt.split('\n').filter((line) => line !== '');
  const n = JSON.parse(state).n + JSON.parse(call).arguments.by;
  return n < 0 ? { result: null, error: 'it would be negative' } : { result: [{ n }], state: { n } };
}

function outcomeOf(text: string, isError: boolean): CallOutcome {
  return { status: 200, headers: {}, body: JSON.stringify({ content: [{ type: 'text', text }], isError }) };
}

/** A server with one number, as a fresh process has it. */
function startServer(): WorldServer {
  let n = 100;
  return {
    call: async (tool, { by }) => {
      if (tool === 'read') return outcomeOf(JSON.stringify({ n }), false);
      if (tool !== 'change') return outcomeOf('there is no such tool', true);
      if (n + Number(by) < 0) return outcomeOf('it would be negative', true);
      n += Number(by);
      return outcomeOf(JSON.stringify([{ n }]), false);
    },
    files: async () => ({}),
    stop: async () => {},
  };
}

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
  return kind.open(parsed, { rowIndex: 0, values, random: Random.of(1, 'world').at(0), callFunction, startServer });
}

function callOf(name: string, args: Fields): EnvironmentCall {
  const { signal } = new AbortController();
  return { name, arguments: args, random: Random.of(1, 'world').at(0, 0, 1), signal, timeoutMs: 1_000, ask };
}

async function change(world: OpenEnvironment, by: number): Promise<CellValue> {
  const { text, failed, outcome } = await world.call(callOf('change', { by }));
  if (!outcome) return failed ? 'failed' : (JSON.parse(text) as CellValue);
  const result = JSON.parse(outcome.body) as { content: [{ text: string }]; isError: boolean };
  return result.isError ? 'failed' : (JSON.parse(result.content[0].text) as CellValue);
}

test('every kind has an example', () => {
  expect(environmentKinds.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
});

test.each(environmentKinds.map((kind) => [kind.kind, kind] as const))(
  '%s: a world has its tools and its state',
  async (_, kind) => {
    const world = await openExample(kind);
    const config = kind.schema.parse(EXAMPLES[kind.kind]) as unknown as EnvironmentConfig;
    const offered = { name: 'change', parameters: { type: 'object' } };
    expect(world.tools).toMatchObject(kind.provider ? [] : [offered]);
    expect(kind.tools(config)).toEqual(kind.provider ? undefined : world.tools);
    expect(await change(world, 5)).toEqual([{ n: 105 }]);
    const state = JSON.stringify(await world.snapshot());
    expect(state).toContain('105');
    expect(JSON.stringify(await world.snapshot())).toBe(state);
    await world.close();
  },
);

test.each(environmentKinds.map((kind) => [kind.kind, kind] as const))(
  '%s: a call that fails changes nothing, and an unknown tool is a failed call',
  async (_, kind) => {
    const world = await openExample(kind);
    const before = await world.snapshot();
    expect(await change(world, -101)).toBe('failed');
    expect(await world.snapshot()).toEqual(before);
    const { outcome, failed } = await world.call(callOf('other', {}));
    expect(outcome ? JSON.parse(outcome.body) : { isError: failed }).toMatchObject({ isError: true });
    await world.close();
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
    await world.close();
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
    await world.close();
    expect(await change(fork, 0)).toEqual([{ n: 201 }]);
    await fork.close();
  },
);
