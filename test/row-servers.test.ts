import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, playAgent } from './calling-model.ts';
import { temporaryFolder } from '@data-designer/testing/temporary-folder';

const PROGRAM = fileURLToPath(new URL('row-server.ts', import.meta.url));

let folder: string;
let temporary: ReturnType<typeof temporaryFolder>;
let server: AnsweringServer;
let runs = 0;
let notes: string;
let asked: number;
/** The last request that is answered before the run is stopped; undefined for all. */
let last: { readonly request: number; readonly stop: AbortController } | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'row-servers-'));
  // What a run leaves there is left by its servers. The I/O thread, which later runs use too, keeps the first one.
  temporary = temporaryFolder('row-servers-tmp-');
  server = await openAnsweringServer((text, response) => {
    asked++;
    if (last && asked > last.request) return last.stop.abort();
    return reply(response, playAgent(JSON.parse(text) as ModelRequest));
  });
});
beforeEach(() => {
  asked = 0;
  last = undefined;
  notes = join(folder, `notes-${runs++}`);
  writeFileSync(notes, '');
});
afterEach(() => {
  const left = readdirSync(temporary.path).filter((name) => name.startsWith('data-designer-rows-'));
  // The test that left them fails.
  if (left.length > 0) throw new Error(`folders of rows are left: ${left.join(', ')}`);
});
afterAll(() => {
  server[Symbol.dispose]();
  temporary[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function noted(): readonly (readonly [pid: string, what: string])[] {
  return readFileSync(notes, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
}

function starts(): number {
  return noted().filter(([, what]) => what === 'start').length;
}

function designer(mode = '', runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: {
      models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }],
      tools: [
        {
          name: 'counting',
          providerType: 'stdio',
          command: process.execPath,
          args: [PROGRAM, '{{ row_dir }}', notes, mode],
        },
      ],
    },
    runConfig: { seed: 3, ...runConfig },
  });
}

async function create(
  config: DataDesignerConfigBuilder,
  { name, mode, runConfig, ...more }: Partial<CreateOptions> & { name: string; mode?: string; runConfig?: object },
) {
  await using own = designer(mode, runConfig);
  const results = await own.create(config, { numRecords: 4, datasetName: name, ...more });
  return { results, rows: await Array.fromAsync<Record<string, unknown>>(results.records()) };
}

function add(by: number) {
  return { name: 'add', arguments: { by } };
}

const COLUMN = { columnType: 'llm-text', modelAlias: 'agent', toolAlias: 'row-tools' } as const;

function counter(environment: object = {}) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addToolConfig({ toolAlias: 'row-tools', providers: ['counter'] })
    .addEnvironment({ name: 'counter', kind: 'mcp', provider: 'counting', ...environment } as never)
    .addColumn({ name: 'start', columnType: 'expression', expr: '{{ 10 }}', dtype: 'int' } as never);
}

function counting(calls: object, environment: object = {}) {
  return counter(environment).addColumn({ ...COLUMN, name: 'done', prompt: JSON.stringify(calls) });
}

test('each row has a server of its own, which begins with the files of the row', async () => {
  const write = { name: 'write', arguments: { path: 'deep/own.txt', text: 'hello' } };
  const config = counting([[add(5)], [add(1), write]], { files: { 'start.txt': 'row {{ start }}' } });
  const { rows } = await create(config, { name: 'own', mode: 'reads' });
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    expect(
      String(row.done)
        .split('\n')
        .map((line) => line.replaceAll(/\s/g, '')),
    ).toEqual(['{"count":5,"file":"row10"}', '{"count":6,"file":"row10"}', 'written']);
    expect(row.done__state).toEqual({ 'deep/own.txt': 'hello', 'start.txt': 'row 10' });
  }
  // One lists the tools.
  expect(starts()).toBe(5);
});

test(
  'a column continues with the server of the one before, and the state may be what a tool gives',
  { tags: 'long' },
  async () => {
    const config = counting([[add(5)]], { snapshot: { tool: 'count' } }).addColumn({
      ...COLUMN,
      name: 'more',
      prompt: '[[{"name":"add","arguments":{"by":2}}]]\n{{ done }}',
    });
    const { rows } = await create(config, { name: 'continues' });
    expect(rows.map((row) => [row.done__state, row.more__state])).toEqual(
      Array.from({ length: 4 }, () => [
        { count: 5, file: null },
        { count: 7, file: null },
      ]),
    );
    expect(starts()).toBe(5);
  },
);

test('a row whose model calls no tool starts no server', { tags: 'long' }, async () => {
  const { rows } = await create(counting([], { files: { 'a.txt': 'a' } }), { name: 'unused' });
  expect(rows[0]?.done__state).toEqual({ 'a.txt': 'a' });
  expect(starts()).toBe(1);
});

test('a stopped run goes on: its calls are sent again before the first new one', { tags: 'long' }, async () => {
  const turns = [[add(1)], [add(2)], [add(3)]];
  const config = () => counting(turns, { snapshot: { tool: 'count' } });
  const whole = await create(config(), { name: 'whole', numRecords: 2 });
  asked = 0;
  const stop = new AbortController();
  last = { request: 5, stop };
  const stopped = create(config(), { name: 'stopped', numRecords: 2, signal: stop.signal });
  await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
  last = undefined;
  writeFileSync(notes, '');
  const { rows } = await create(config(), { name: 'stopped', numRecords: 2, resume: 'always' });
  expect(rows).toEqual(whole.rows);
  const perServer = Map.groupBy(noted(), ([pid]) => pid);
  for (const calls of perServer.values()) {
    const added = calls.map(([, what]) => what).filter((what) => what.startsWith('add'));
    expect(added).toEqual(added.length === 0 ? [] : ['add {"by":1}', 'add {"by":2}', 'add {"by":3}']);
  }
});

test('a server whose results differ on a resume costs its row, by name', { tags: 'long' }, async () => {
  const config = counting([[add(1)], [add(2)], [add(3)]]);
  const stop = new AbortController();
  last = { request: 2, stop };
  const options = { name: 'clock', mode: 'clock', numRecords: 1 };
  await expect(create(config, { ...options, signal: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
  last = undefined;
  const resumed = create(config, { ...options, resume: 'always' });
  await expect(resumed).rejects.toThrow(
    /'add' of the environment 'counter' gave another result on a resume \(call 0\)/,
  );
});

test('each attempt has a server of its own, and one per row is alive', { tags: 'long' }, async () => {
  const config = counting([[add(400)], [add(400)], [add(400)]], { snapshot: { tool: 'count' } }).addAttempts({
    name: 'tries',
    columns: ['done'],
    until: "{{ 'too much' not in done }}",
    max: 3,
    onExhausted: 'keep_last',
  } as never);
  const { rows } = await create(config, { name: 'attempts', numRecords: 2 });
  expect(rows.map((row) => row.done__state)).toEqual([
    { count: 800, file: null },
    { count: 800, file: null },
  ]);
  expect(starts()).toBe(7);
});

/** What a run with a misbehaving server gives: the answer and the state of each row, or its failure. */
async function misbehaving(mode: string, turns: object, numRecords = 2): Promise<unknown> {
  return create(counting(turns), { name: `bad-${mode}`, mode, numRecords }).then(
    ({ rows }) => rows.map((row) => [String(row.done).split('\n'), row.done__state]),
    (thrown: unknown) => (thrown as Error).message,
  );
}

const WRITE = { name: 'write', arguments: { path: 'out', text: 'x' } };
const TURNS = [[add(1)], [WRITE], [add(2)]];
const [ONE, THREE] = ['{"count":1,"file":null}', '{"count":3,"file":null}'];
const [WRITTEN, ENDED] = ['written', 'its process ended with code 3'];

test.each([
  // A call that ended the server is not made again.
  ['dies', [[ONE, `Error: Tool 'write' failed: ${ENDED}`, `Error: Tool 'add' failed: ${ENDED}`], {}]],
  ['floods', [[ONE, WRITTEN, THREE], { out: 'x' }]],
  ['links', [[ONE, WRITTEN, THREE], { out: { link: '/' } }]],
])('a server that misbehaves (%s) harms its row alone', { tags: 'long' }, async (mode, row) => {
  expect(await misbehaving(mode, TURNS)).toEqual([row, row]);
  expect(existsSync('/out')).toBe(false);
});

test('a result of 50 MB is a failed call', { tags: 'long' }, async () => {
  const text = `Error: Tool 'add' failed: its result is too large: 52428855 characters, at most 33554432 may come back`;
  expect(await misbehaving('huge', [[add(1)]], 1)).toEqual([[[text], {}]]);
});

test(
  'a server that never starts is told before the first request, and one that starts no more costs its rows',
  { tags: 'long' },
  async () => {
    expect(await misbehaving('never', TURNS)).toBe(
      "The tool provider 'counting' cannot be used: its process ended with code 1.",
    );
    expect(asked).toBe(0);
    expect(await misbehaving('once', TURNS)).toMatch(/environment 'counter' of this row cannot be opened: .* code 1/);
  },
);

/** Two environments over one server, in one tool config. */
function twoCounters(prefix?: string) {
  return counter({ snapshot: { tool: 'count' } })
    .addEnvironment({
      name: 'other',
      kind: 'mcp',
      provider: 'counting',
      snapshot: { tool: 'count' },
      ...(prefix !== undefined && { toolPrefix: prefix }),
    })
    .addToolConfig({ toolAlias: 'both', providers: ['counter', 'other'] });
}

test(
  'two environments over one server have a server each, and models call the second one by its prefix',
  { tags: 'long' },
  async () => {
    const turns = [
      [add(5), { name: 'other_add', arguments: { by: 70 } }],
      [{ name: 'other_add', arguments: { by: 1 } }],
    ];
    const both = { ...COLUMN, name: 'both', toolAlias: 'both', prompt: JSON.stringify(turns) } as const;
    const { rows } = await create(twoCounters('other_').addColumn({ ...both, withTrace: true }), { name: 'prefixed' });
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(row.both).toBe('{"count":5,"file":null}\n{"count":70,"file":null}\n{"count":71,"file":null}');
      expect(row.both__state).toEqual({ counter: { count: 5, file: null }, other: { count: 71, file: null } });
      expect(JSON.stringify(row.both__trace)).toContain('"name":"other_add"');
    }
    // The server knows its tool by its own name.
    const names = new Set(noted().map(([, what]) => what.split(' ')[0]));
    expect(names).toEqual(new Set(['start', 'end', 'add', 'count']));

    const offered = (allowTools: string[]) =>
      create(twoCounters('other_').addColumn({ ...both, allowTools }), { name: 'offered', numRecords: 1 });
    await expect(offered(['add'])).rejects.toThrow("several providers have 'add', write 'counter/add' or 'other/add'");
    const { rows: one } = await offered(['other/add']);
    expect(String(one[0]?.both).split('\n')).toEqual([
      "Error: Tool 'add' failed: it is not allowed here; available tools: other_add",
      '{"count":70,"file":null}',
      '{"count":71,"file":null}',
    ]);
    asked = 0;
    await expect(create(twoCounters().addColumn(both), { name: 'same' })).rejects.toThrow(
      "'counter' and 'other' have the tools of the provider 'counting', under the same names",
    );
    expect(asked).toBe(0);
  },
);

/** The most servers that were alive at a time. */
function mostAlive(): number {
  let alive = 0;
  return Math.max(...noted().map(([, what]) => (alive += what === 'start' ? 1 : what === 'end' ? -1 : 0)));
}

test(
  'so many rows as allowed have a server at a time, and a column for all rows may follow',
  { tags: 'long' },
  async () => {
    const config = counting([[add(1)]], { maxRows: 3 }).addColumn({
      name: 'judged',
      columnType: 'validation',
      validatorType: 'local_callable',
      targetColumns: ['done'],
      validatorParams: { validationFunction: (rows: readonly object[]) => rows.map(() => ({ is_valid: true })) },
      batchSize: 12,
    } as never);
    const { rows } = await create(config, { name: 'capped', mode: 'lingers', numRecords: 12 });
    expect(rows).toHaveLength(12);
    expect(starts()).toBe(13);
    expect(mostAlive()).toBeLessThanOrEqual(3);
  },
);
