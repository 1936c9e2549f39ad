import {
  type Call,
  type CallOutcome,
  DataDesignerError,
  type Gateway,
  type OutcomeJournal,
  type Plan,
  stringifyJson,
} from '@data-designer/core';
import { defineEnvironment } from '@data-designer/environments';
import { ModelRegistry } from '@data-designer/models';
import { expect, test } from 'vitest';
import { loadSqlite } from '../../../environments/src/sqlite/sqlite-library.ts';
import { callFunction } from '../functions/invoke-function.ts';
import { schemaOf } from './environment-tools.ts';
import { openEnvironments, type RowEnvironments } from './row-environments.ts';

const BANK = {
  name: 'bank',
  kind: 'sqlite',
  schema: 'CREATE TABLE account (balance INTEGER CHECK (balance >= 0))',
  rows: { account: '{{ accounts }}' },
  tools: [
    {
      name: 'add',
      description: '',
      parameters: { type: 'object', properties: { by: { type: 'integer' } } },
      sql: 'UPDATE account SET balance = balance + :by RETURNING balance',
    },
  ],
};

/** What the functions of the code environment do besides adding. */
let inOpen: (() => Promise<void>) | undefined;
let inCall: (() => Promise<void>) | undefined;

const COUNTER = defineEnvironment({
  name: 'counter',
  open: async () => {
    await inOpen?.();
    return { n: 0 };
  },
  tools: {
    add: {
      parameters: { type: 'object', properties: { by: { type: 'integer' } } },
      execute: async ({ by }, state: { n: number }) => {
        await inCall?.();
        state.n += Number(by);
        return state.n;
      },
    },
  },
});

const FUNCTIONS = new Map<string, unknown>([
  ['open', COUNTER.open],
  ['execute', COUNTER.tools[0]?.execute],
]);
const PLANNED_COUNTER = {
  ...COUNTER,
  open: { handle: 'open' },
  tools: COUNTER.tools.map((tool) => ({ ...tool, execute: { handle: 'execute' } })),
};

/** The environments of a plan over a journal. */
function environmentsOver(journal = new Map<string, CallOutcome>(), row = 0) {
  const gateway = {
    journal: async ({ column, call }: Pick<Call, 'column' | 'call'>, work: () => Promise<CallOutcome>) => {
      const key = `${column}/${call}`;
      const outcome = journal.get(key) ?? (await work());
      journal.set(key, outcome);
      return outcome;
    },
  } as unknown as Gateway & OutcomeJournal;
  const functions = {
    call: ({ handle }: { handle: string }, args: readonly unknown[], { given = {} } = {}) =>
      Promise.resolve(callFunction(FUNCTIONS.get(handle) as never, [...structuredClone(args), given])),
    note: () => {},
  };
  const plan = {
    seed: 1,
    templates: 'jinja',
    columns: [],
    environments: [BANK, PLANNED_COUNTER].map((config) => ({ name: config.name, kind: config.kind, config })),
  } as unknown as Plan;
  const models = new ModelRegistry({}, gateway, { maxCorrectionSteps: 0, maxConversationRestarts: 0 });
  const { signal } = new AbortController();
  const environments = openEnvironments(plan, { floats: new Set(), gateway, functions, models, signal });
  return { gateway: environments.gateway, gatewayParts: gateway, row: environments.ofRow(row), journal };
}

type Opened = ReturnType<typeof environmentsOver>;

/** Calls the tool `add` as the conversation of a cell does; gives what the model sees. */
async function add(
  { gateway }: Opened,
  by: number,
  { call = 0, environment = 'bank', column = 'work', timeoutMs = 60_000 } = {},
): Promise<string> {
  const body = stringifyJson({ name: 'add', arguments: { by } });
  const at = { row: 0, column, call, resource: `tools/${environment}`, path: 'tools/call', body, timeoutMs };
  return (await gateway.call(at)).body;
}

function makeCell(row: RowEnvironments, make: () => Promise<unknown>, names: readonly string[] = ['bank']) {
  const cell = { column: 'work', names, row: { accounts: [{ balance: 100 }] }, attempt: undefined };
  return row.makeCell(cell, async () => [(await make()) as string]);
}

const state = (balance: number) => ({ account: [{ balance }] });
const fail = () => Promise.reject(new Error('no'));

test('a cell that fails leaves its worlds as they were, and one that is made gives their state', async () => {
  const opened = environmentsOver();
  await expect(makeCell(opened.row, () => add(opened, -40).then(fail))).rejects.toThrow('no');
  const written = await makeCell(opened.row, () => add(opened, -30, { call: 1 }));
  expect(written.at(-1)).toEqual(state(70));
  expect((await makeCell(opened.row, fail).catch(() => makeCell(opened.row, async () => ''))).at(-1)).toEqual(
    state(70),
  );
  opened.row.close();
});

test('no mark stays once a cell is made or has failed', async () => {
  const opened = environmentsOver();
  await makeCell(opened.row, () => add(opened, 1));
  await expect(opened.row.fromStart(['bank'], () => '')).rejects.toThrow('no such savepoint');
  await makeCell(opened.row, fail).catch(() => {});
  await expect(opened.row.fromStart(['bank'], () => '')).rejects.toThrow('no such savepoint');
  opened.row.close();
});

test('tools have the prefix of their environment', () => {
  const tool = { name: 'add', description: '', parameters: { type: 'object' } };
  expect(schemaOf(tool, {}).prefix).toBeUndefined();
  expect(schemaOf(tool, { toolPrefix: 'its_' })).toMatchObject({ prefix: 'its_', function: { name: 'add' } });
});

test('several environments give their states by name', async () => {
  const opened = environmentsOver();
  const written = await makeCell(opened.row, () => add(opened, 5, { environment: 'counter' }), ['bank', 'counter']);
  expect(written.at(-1)).toEqual({ bank: state(100), counter: { n: 5 } });
  opened.row.close();
});

test('a question that fails has no effect, whichever other questions run', async () => {
  const opened = environmentsOver();
  const ask = (names: readonly string[], call: number, then: () => Promise<unknown> = async () => {}) =>
    opened.row.ask(names, () => add(opened, -10, { call }).then(then));
  const written = await makeCell(opened.row, () =>
    Promise.allSettled([ask(['bank'], 0), ask(['bank'], 1, fail), ask(['bank'], 2)]),
  );
  expect(written.at(-1)).toEqual(state(80));
  opened.row.close();
});

test('questions that name the same environments in another order do not wait for each other', async () => {
  const opened = environmentsOver();
  const both = ['bank', 'counter'];
  const ask = (names: readonly string[], call: number) => opened.row.ask(names, () => add(opened, 1, { call }));
  const written = await makeCell(
    opened.row,
    () => Promise.all([ask(both, 0), ask(both.toReversed(), 1), ask(both, 2)]),
    both,
  );
  expect(written.at(-1)).toEqual({ bank: state(103), counter: { n: 0 } });
  opened.row.close();
});

test('a call reaches the world of its own cell, row and attempt alone', async () => {
  const opened = environmentsOver();
  await makeCell(opened.row, async () => {
    await expect(add(opened, 1, { column: 'other' })).rejects.toMatchObject({ code: 'run/aborted' });
  });
  await expect(add(opened, 1)).rejects.toMatchObject({ code: 'run/aborted' });
  opened.row.close();
});

/** Makes two calls one after the other. */
async function calls(opened: Opened): Promise<string> {
  await add(opened, 10);
  return add(opened, 5, { call: 1 });
}

test('a replay makes every call again, and another result costs the row', async () => {
  const first = environmentsOver();
  const made = await makeCell(first.row, () => calls(first));
  first.row.close();
  const again = environmentsOver(first.journal);
  expect(await makeCell(again.row, () => calls(again))).toEqual(made);
  again.row.close();
  const other = environmentsOver(first.journal);
  await expect(makeCell(other.row, () => add(other, 11))).rejects.toMatchObject({
    code: 'environment/not-repeatable',
    data: { environment: 'bank', tool: 'add', call: 0 },
  });
  other.row.close();
});

test('a dry replay makes the call behind the journal, which may have ended the thread', async () => {
  let made = 0;
  inCall = async () => void made++;
  const replay = environmentsOver();
  replay.gatewayParts.journal = () => Promise.reject(new DataDesignerError('journal/ends', {}));
  const call = makeCell(replay.row, () => add(replay, 1, { environment: 'counter' }), ['counter']);
  await expect(call).rejects.toMatchObject({ code: 'journal/ends' });
  inCall = undefined;
  expect(made).toBe(1);
});

test('a call that gave no answer in time is not made again on a resume', async () => {
  const late = Promise.withResolvers<void>();
  inCall = () => late.promise;
  const slow = environmentsOver();
  const options = { environment: 'counter', timeoutMs: 20 };
  const written = await makeCell(slow.row, () => add(slow, 1, options), ['counter']);
  expect(written).toEqual(['no answer within 20 ms', { n: 0 }]);
  late.resolve();
  inCall = undefined;
  // What it does later counts for nothing.
  await new Promise(setImmediate);
  expect((await makeCell(slow.row, async () => '', ['counter'])).at(-1)).toEqual({ n: 0 });
  const again = environmentsOver(slow.journal);
  expect(await makeCell(again.row, () => add(again, 1, options), ['counter'])).toEqual(written);
});

test('calls of a world run one after the other', async () => {
  const opened = environmentsOver();
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  inCall = async () => {
    begun++;
    await gate.promise;
  };
  const options = { environment: 'counter' };
  const both = () => Promise.all([add(opened, 1, options), add(opened, 2, { ...options, call: 1 })]);
  const made = makeCell(opened.row, both, ['counter']);
  await expect.poll(() => begun).toBe(1);
  await new Promise(setImmediate);
  expect(begun).toBe(1);
  gate.resolve();
  expect((await made).at(-1)).toEqual({ n: 3 });
  inCall = undefined;
  opened.row.close();
});

test('an attempt goes its own way, and the row goes on with the one that it keeps', async () => {
  const opened = environmentsOver();
  await makeCell(opened.row, () => add(opened, -50));
  const [one, other] = [opened.row.fork(new Set(['bank'])), opened.row.fork(new Set(['bank']))];
  expect((await makeCell(one, () => add(opened, 1, { call: 1 }))).at(-1)).toEqual(state(51));
  expect((await makeCell(other, () => add(opened, 2, { call: 2 }))).at(-1)).toEqual(state(52));
  opened.row.adopt(one);
  expect((await makeCell(opened.row, async () => '')).at(-1)).toEqual(state(51));
  opened.row.adopt(undefined);
  expect((await makeCell(opened.row, async () => '')).at(-1)).toEqual(state(51));
  opened.row.close();
});

test('no world stays open once the row is over, whatever still runs', async () => {
  const { memoryUsed } = await loadSqlite();
  const before = memoryUsed();
  const kept = environmentsOver();
  await makeCell(kept.row, () => add(kept, 1));
  const attempts = Array.from({ length: 3 }, () => kept.row.fork(new Set(['bank'])));
  kept.row.adopt(attempts[1]);
  kept.row.fork(new Set(['bank']));
  expect(memoryUsed()).toBeGreaterThan(before);
  kept.row.close();
  // A cell that is made while its row ends.
  const ended = environmentsOver();
  const running = makeCell(ended.row, async () => {
    ended.row.close();
    return add(ended, 1);
  });
  await expect(running).rejects.toMatchObject({ code: 'run/aborted' });
  // A cell that opens worlds while its row ends, and attempts that begin after it.
  const opening = environmentsOver();
  const gate = Promise.withResolvers<void>();
  inOpen = () => gate.promise;
  const late = makeCell(opening.row, async () => '', ['counter', 'bank']);
  const attempt = opening.row.fork(new Set());
  opening.row.close();
  gate.resolve();
  await expect(late).rejects.toMatchObject({ code: 'run/aborted' });
  inOpen = undefined;
  for (const one of [attempt, opening.row.fork(new Set())])
    await expect(makeCell(one, async () => '')).rejects.toMatchObject({ code: 'run/aborted' });
  await expect.poll(memoryUsed).toBe(before);
});

test('a world that cannot be opened gives its reason', async () => {
  const opened = environmentsOver();
  const cell = { column: 'work', names: ['bank'], row: { accounts: [{ balance: -1 }] }, attempt: undefined };
  await expect(opened.row.makeCell(cell, () => [''])).rejects.toMatchObject({
    code: 'environment/not-opened',
    message: expect.stringContaining('CHECK constraint failed') as string,
  });
  inOpen = () => Promise.reject(new Error('no counter'));
  await expect(makeCell(opened.row, fail, ['counter'])).rejects.toThrow('no counter');
  inOpen = undefined;
  opened.row.close();
});
