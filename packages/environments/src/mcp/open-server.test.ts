import { type CallOutcome, type CellValue, DataDesignerError, type Fields, Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import type { EnvironmentCall, WorldServer } from '../environment-kind.ts';
import { mcp } from './mcp.ts';
import { openServer } from './open-server.ts';

/** What the servers of a test have got, one list for each server. */
let got: string[][];
/** How a server answers; undefined for its count. */
let answer: ((name: string, count: number) => CallOutcome | Promise<CallOutcome> | undefined) | undefined;

function outcome(text: string, status = 200): CallOutcome {
  const body = status === 200 ? JSON.stringify({ content: [{ type: 'text', text }], _meta: { at: Date.now() } }) : text;
  return { status, headers: {}, body };
}

function startServer(): WorldServer {
  let count = 0;
  const own: string[] = [];
  got.push(own);
  return {
    call: async (name, args: Fields) => {
      own.push(name === 'add' ? `add ${Number(args.by)}` : name);
      const other = await answer?.(name, count);
      if (other) return other;
      if (name === 'add') count += Number(args.by);
      return outcome(name === 'look' ? JSON.stringify({ count }) : `${count}`);
    },
    files: async () => ({ 'count.txt': `${count}` }),
    stop: async () => void own.push('stop'),
  };
}

function open(snapshot?: object) {
  got = [];
  answer = undefined;
  const config = mcp.schema.parse({ name: 'counter', kind: 'mcp', provider: 'p', ...(snapshot && { snapshot }) });

  return openServer(config, { rowIndex: 0, values: {}, random: Random.of(1, 'w').at(0), callFunction, startServer });
}

const callFunction = () => Promise.reject(new Error('it has no functions'));
const noModel = () => Promise.reject(new Error('it asks no model'));

function callOf(by: number, signal = new AbortController().signal): EnvironmentCall {
  return { name: 'add', arguments: { by }, random: Random.of(1, 'w').at(0), signal, timeoutMs: 1_000, ask: noModel };
}

type World = ReturnType<typeof open>;

async function add(world: World, by: number): Promise<string | undefined> {
  const { outcome: made } = await world.call(callOf(by));
  return made?.body;
}

test('no server starts before a call, and one serves all calls', async () => {
  const world = open();
  expect(got).toEqual([]);
  await add(world, 1);
  await add(world, 2);
  expect(await world.snapshot()).toEqual({ 'count.txt': '3' });
  await world.close();
  expect(got).toEqual([['add 1', 'add 2', 'stop']]);
});

test('recorded calls are sent before the first new one, and not before', async () => {
  const world = open();
  world.recorded?.add({ name: 'add', arguments: { by: 1 } }, outcome('1'));
  world.recorded?.add({ name: 'add', arguments: { by: 9 } }, outcome('it is gone', 502));
  expect(got).toEqual([]);
  await add(world, 2);
  // A call without an answer has done nothing.
  expect(got).toEqual([['add 1', 'add 2']]);
});

test('another result of a call that is sent again ends the world', async () => {
  const world = open();
  world.recorded?.add({ name: 'add', arguments: { by: 1 } }, outcome('7'));
  await expect(world.call(callOf(2))).rejects.toMatchObject({
    code: 'environment/not-repeatable',
    data: { environment: 'counter', tool: 'add', call: 0, before: expect.stringContaining('7') as string },
  });
  expect(got).toEqual([['add 1', 'stop']]);
});

test('what is not shown to a model may differ', async () => {
  const world = open();
  const structured = {
    ...outcome('1'),
    body: JSON.stringify({ content: [{ type: 'text', text: '1' }], isError: false }),
  };
  world.recorded?.add({ name: 'add', arguments: { by: 1 } }, structured);
  await add(world, 2);
  expect(got).toEqual([['add 1', 'add 2']]);
});

test('a world that goes back has another server, with the calls before', async () => {
  const world = open();
  await add(world, 1);
  world.mark();
  await add(world, 2);
  world.undo();
  world.release();
  await add(world, 4);
  expect(await world.snapshot()).toEqual({ 'count.txt': '5' });
  expect(got).toEqual([
    ['add 1', 'add 2', 'stop'],
    ['add 1', 'add 4'],
  ]);
});

test('a world that goes back to where it is keeps its server', async () => {
  const world = open();
  await add(world, 1);
  world.mark();
  world.undo();
  world.release();
  await add(world, 2);
  expect(got).toEqual([['add 1', 'add 2']]);
});

test('of a world and its forks one has a server at a time', async () => {
  const world = open();
  await add(world, 1);
  const one = world.fork();
  await one.call(callOf(10));
  const other = world.fork();
  await other.call(callOf(20));
  expect([await other.snapshot(), await one.snapshot()]).toEqual([{ 'count.txt': '21' }, { 'count.txt': '11' }]);
  expect(got).toEqual([
    ['add 1', 'stop'],
    ['add 1', 'add 10', 'stop'],
    ['add 1', 'add 20'],
    ['add 1', 'add 10'],
  ]);
});

test('a call without an answer leaves no server', async () => {
  const world = open();
  await add(world, 1);
  answer = (name) => (name === 'add' ? outcome('the connection was lost', 502) : undefined);
  expect(await world.call(callOf(2))).toMatchObject({ failed: true, outcome: { status: 502 } });
  answer = undefined;
  await add(world, 3);
  expect(got).toEqual([
    ['add 1', 'add 2', 'stop'],
    ['add 1', 'add 3'],
  ]);
});

test('a call whose time is over leaves no server, whatever comes of it', async () => {
  const world = open();
  const late = new AbortController();
  const gate = Promise.withResolvers<CallOutcome>();
  answer = () => gate.promise;
  const slow = world.call(callOf(5, late.signal));
  await expect.poll(() => got.length).toBe(1);
  late.abort();
  expect(got).toEqual([['add 5', 'stop']]);
  gate.resolve(outcome('5'));
  await slow;
  answer = undefined;
  await add(world, 1);
  // It is not among the calls that another server gets.
  world.mark();
  await add(world, 2);
  world.undo();
  await add(world, 3);
  expect(got.slice(1)).toEqual([
    ['add 1', 'add 2', 'stop'],
    ['add 1', 'add 3'],
  ]);
});

test('a server that cannot start is named as the world that cannot be opened', async () => {
  const world = open();
  answer = () => Promise.reject(new DataDesignerError('tool/unavailable', { provider: 'p', reason: 'it has ended' }));
  await expect(world.call(callOf(1))).rejects.toMatchObject({
    code: 'environment/not-opened',
    message: expect.stringContaining('it has ended') as string,
  });
  answer = () => Promise.reject(new DataDesignerError('run/aborted', { reason: 'the end' }));
  await expect(world.call(callOf(1))).rejects.toMatchObject({ code: 'run/aborted' });
});

test.each<[string, CellValue, unknown]>([
  ['structured content', null, { count: 3 }],
  ['JSON', '{"count": 4}', { count: 4 }],
  ['text', 'four', 'four'],
])('the state may be what a tool gives: %s', async (_, text, state) => {
  const world = open({ tool: 'look' });
  const body = text === null ? { content: [], structuredContent: state } : { content: [{ type: 'text', text }] };
  answer = () => ({ status: 200, headers: {}, body: JSON.stringify(body) });
  expect(await world.snapshot()).toEqual(state);
});

test.each([
  [{ status: 200, headers: {}, body: '{"content":"no graph","isError":true}' }, `its tool 'look' failed: "no graph"`],
  [{ status: 504, headers: {}, body: 'no answer' }, `its tool 'look' failed: no answer`],
])('a tool that fails gives no state', async (failed, message) => {
  const world = open({ tool: 'look' });
  answer = () => failed;
  await expect(world.snapshot()).rejects.toThrow(message);
});

test('a recorded state counts for the same calls alone', async () => {
  const [one, other] = [open(), open()];
  expect(one.recorded?.key()).toBe(other.recorded?.key());
  one.recorded?.add({ name: 'add', arguments: { by: 1 } }, outcome('1'));
  expect(one.recorded?.key()).not.toBe(other.recorded?.key());
  other.recorded?.add({ name: 'add', arguments: { by: 1 } }, outcome('2'));
  expect(one.recorded?.key()).not.toBe(other.recorded?.key());
});
