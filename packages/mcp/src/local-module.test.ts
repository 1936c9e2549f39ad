import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { moduleAddress } from '@data-designer/core';
import type { ToolNote } from './local-messages.ts';
import { UNKNOWN_OUTCOME } from './tool-session.ts';
import { LocalModule } from './local-module.ts';

const MODULE = new URL('../test/module-tools.ts', import.meta.url);
const LIMIT = { timeoutMs: 60_000 };
const opened: LocalModule[] = [];

function open(module: string | URL = MODULE, options: ConstructorParameters<typeof LocalModule>[1] = {}): LocalModule {
  const address = moduleAddress(module);
  const local = new LocalModule({ name: 'mine', module: address }, options);
  opened.push(local);
  return local;
}

const run = (local: LocalModule, name: string, { timeoutMs = LIMIT.timeoutMs, ms = 0 } = {}) =>
  local.call({ name, arguments: { ms } }, { timeoutMs });

afterEach(async () => {
  await Promise.all(opened.splice(0).map((local) => local[Symbol.asyncDispose]()));
});

test('the tools of a module run in one thread, exported alone or in lists', { tags: 'long' }, async () => {
  const local = open(fileURLToPath(MODULE));
  const names = (await local.listTools()).map((schema) => schema.function.name);
  expect(names.toSorted()).toEqual(['block', 'count', 'labour', 'quit', 'read', 'say']);
  expect((await run(local, 'count')).body).toContain('"1"');
  expect((await run(local, 'count')).body).toContain('"2"');
  expect((await run(local, 'read')).body).toContain('the text of note:1');
});

test('the log messages of a tool are passed on', async () => {
  const notes: ToolNote[] = [];
  await run(open(MODULE, { onNote: (note) => notes.push(note) }), 'say');
  expect(notes).toEqual([{ type: 'tool-log', provider: 'mine', tool: 'say', message: 'said by a tool' }]);
});

test('a blocked thread is ended with its calls, and the next call gets a new thread', { tags: 'long' }, async () => {
  const local = open(MODULE, { graceMs: 100 });
  await local.listTools();
  const blocked = run(local, 'block', { timeoutMs: 100 });
  const beside = run(local, 'count');
  expect(await blocked).toMatchObject({ status: 504, body: 'no answer within 100 ms, and its thread was blocked' });
  expect(await beside).toMatchObject({
    status: 502,
    body: `its thread was ended because another call had blocked it${UNKNOWN_OUTCOME}`,
  });
  expect((await run(local, 'count')).body).toContain('"1"');
});

test('tools that keep the thread busy in turn do not count as blocked', { tags: 'long' }, async () => {
  const local = open(MODULE, { graceMs: 1_000 });
  await local.listTools();
  const calls = Array.from({ length: 8 }, () => run(local, 'labour', { ms: 150, timeoutMs: 600 }));
  const outcomes = await Promise.all(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => 200));
});

test('a thread that exits fails its calls, and is replaced', async () => {
  const local = open();
  expect(await run(local, 'quit')).toMatchObject({
    status: 502,
    body: `its thread ended with code 9${UNKNOWN_OUTCOME}`,
  });
  expect((await run(local, 'count')).status).toBe(200);
});

test('an aborted signal ends the call', async () => {
  const local = open();
  await local.listTools();
  const abort = new AbortController();
  const running = local.call({ name: 'count', arguments: {} }, { ...LIMIT, signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(running).rejects.toMatchObject({ code: 'run/aborted' });
});

test.each([
  ['does not exist', './no-such-module.ts', /its module cannot be loaded: Cannot find module/],
  [
    'exports no tools',
    'data:text/javascript,export const a = 1',
    /^The tool provider 'mine' cannot be used: its module exports no tools\.$/,
  ],
  [
    'exports an invalid tool',
    'data:text/javascript,export const a = { name: "find", parameters: 5, execute() {} }',
    /^The tool provider 'mine' cannot be used: its tool 'find' cannot be used: its parameters are not a schema\.$/,
  ],
  ['throws', 'data:text/javascript,throw new Error("not today")', /its module cannot be loaded: not today/],
  ['ends the thread', 'data:text/javascript,process.exit(3)', /its thread ended with code 3/],
  [
    'does not finish loading',
    'data:text/javascript,await new Promise(() => setInterval(() => 0, 1000))',
    /did not load within 500 ms/,
  ],
])('a module that %s cannot be used', { tags: 'long' }, async (_claim, module, reason) => {
  const local = open(module, { loadTimeoutMs: module.includes('setInterval') ? 500 : 20_000 });
  await expect(local.listTools()).rejects.toMatchObject({
    code: 'tool/unavailable',
    message: expect.stringMatching(reason),
  });
  expect(await run(local, 'count')).toMatchObject({ status: 502, body: expect.stringMatching(reason) });
});
