import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MCPProvider } from '@data-designer/config';
import { type Batch, type CellValue, field, type Plan, type Row, type RowGroup } from '@data-designer/core';
import { demoToolsProgram, type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { entriesOf, type GroupOptions, openFunctions, openGroup } from '../../../gateway/test/open-group.ts';
import { expression, planOf, registry, sampled } from '../../test/plan-of.ts';
import { preparePlan } from './prepare-plan.ts';
import type { RowGroupContext } from './group-context.ts';
import { runRowGroup } from './run-row-group.ts';

let simulator: RunningSimulator;
let folder: string;

beforeAll(async () => {
  [simulator, folder] = await Promise.all([startSimulator(), mkdtemp(join(tmpdir(), 'run-row-group-'))]);
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const GROUP: RowGroup = { index: 2, firstRow: 0, rows: 5 };
const WIDE = sampled('wide', 'uniform', { params: { low: 0, high: 9 } });
const TOPIC = sampled('topic', 'category', { params: { values: ['moon', 'salt', 'bees'] } });
/** Seed rows with their row number as only column. */
const SEED = { tables: [{ id: 'seed', fields: [field('n', 'int64')] }] };

interface Written {
  readonly main: Batch;
  readonly sideTables: readonly Batch[];
}

/** Makes a row group and reads its batches while they are written. */
async function make(plan: Plan, group: RowGroup, parts: Partial<RowGroupContext> = {}) {
  const written: (Written & { readonly rows: readonly Row[]; readonly sideRows: readonly (readonly Row[])[] })[] = [];
  await using nothing = openGroup({ resources: [] }, { endpoint: simulator.url });
  const result = await runRowGroup(preparePlan(plan, registry), group, {
    gateway: nothing.gateway,
    signal: new AbortController().signal,
    tables: async ({ firstRow, rows }) => {
      const numbers = Array.from({ length: rows }, (_, at) => firstRow + at);
      return new Map([['seed', new Map([['n', numbers]])]]);
    },
    write: async (main, sideTables) => {
      written.push({ main, sideTables, rows: rowsOf(main), sideRows: sideTables.map(rowsOf) });
      return { bytes: new Uint8Array([7]) };
    },
    ...parts,
  });
  expect(written).toHaveLength(1);
  return { result, ...(written[0] as (typeof written)[number]) };
}

/** The rows of a batch, by its fields. */
function rowsOf({ fields, columns, rows }: Batch): readonly Row[] {
  return Array.from({ length: rows }, (_, at) =>
    Object.fromEntries(fields.map(({ name }) => [name, columns.get(name)?.[at] as CellValue])),
  );
}

test('a group of local columns makes the same rows as the whole run at its position', async () => {
  const plan = planOf({ columns: [WIDE, TOPIC, expression('both', '{{ topic }} {{ wide }}')] });
  const whole = await make(plan, { ...GROUP, rows: 10 });
  const part = await make(plan, { index: 7, firstRow: 4, rows: 3 });
  expect(part.rows).toEqual(whole.rows.slice(4, 7));
  expect(part.result).toEqual({
    group: 7,
    rows: 3,
    lost: [],
    unfinished: 0,
    fatal: undefined,
    cells: { both: { made: 3, failed: 0, passing: 0 } },
    usage: {},
    tools: {},
    failures: [],
    orphanedImages: [],
    output: { bytes: new Uint8Array([7]) },
  });
});

test('a plan of drawn columns alone has no cells to count, and its processors still run', async () => {
  const params = { low: 0, high: 9 };
  const plan = planOf({
    columns: [sampled('low', 'uniform', { params }), sampled('high', 'uniform', { params })],
    constraints: [{ constraint_type: 'column_inequality', target_column: 'low', operator: 'gt', rhs: 'high' }],
    processors: [{ name: 'ids', processor_type: 'schema_transform', template: { pair: '{{ low }} {{ high }}' } }],
  });
  const { result, rows, sideRows } = await make(plan, GROUP);
  expect(result).toMatchObject({ group: 2, rows: 5, cells: {}, usage: {}, tools: {}, failures: [] });
  for (const { low, high } of rows) expect(low).toBeGreaterThan(high as number);
  expect(sideRows).toEqual([rows.map(({ low, high }) => ({ pair: `${low as number} ${high as number}` }))]);
});

test('a row that a processor cannot make is lost alone, with its index in the run, even after other lost rows', async () => {
  const columns = [
    sampled('low', 'uniform', { params: { low: 0, high: 1 } }),
    sampled('high', 'uniform', { params: { low: 0, high: 3 } }),
  ];
  // No row can satisfy the constraint when `high` is one or more.
  const constraints = [{ constraint_type: 'column_inequality', target_column: 'low', operator: 'gt', rhs: 'high' }];
  const group = { index: 1, firstRow: 20, rows: 20 };
  const { rows } = await make(planOf({ columns, constraints }, SEED), group);
  const last = rows.at(-1)?.n as number;
  expect(rows.length).toBeLessThan(20);
  expect(last).toBeGreaterThan(20 + rows.length - 1);
  const template = { broken: `{{ 6 // (n - ${last}) }}` };
  const processors = [{ name: 'own', processor_type: 'schema_transform', template }];
  const left = await make(planOf({ columns, constraints, processors }, SEED), group);
  expect(left.rows.map(({ n }) => n)).toEqual(rows.slice(0, -1).map(({ n }) => n));
  expect(left.result.lost).toMatchObject([{ column: 'low' }, { column: '', code: 'processor/lost-row', rows: 1 }]);
  expect(left.result.failures).toMatchObject([{ row: last, code: 'processor/lost-row', onFailure: 'drop_row' }]);
});

test('rows that different processors cannot make are missing in all tables, and the other rows stay together', async () => {
  const plan = planOf(
    {
      columns: [{ ...TOPIC, drop: true }, expression('said', 'On {{ topic }}')],
      processors: [
        shape('first', { s: '{{ n }}{{ 6 // (n - 1) and "" }}' }),
        shape('second', { t: '{{ n }}{{ 6 // (n - 3) and "" }}' }),
      ],
    },
    SEED,
  );
  const { rows, sideRows, result } = await make(plan, GROUP);
  const [dropped, first, second] = sideRows;
  expect(rows.map(({ n }) => n)).toEqual([0, 2, 4]);
  expect(first?.map(({ s }) => s)).toEqual(['0', '2', '4']);
  expect(second?.map(({ t }) => t)).toEqual(['0', '2', '4']);
  expect(dropped?.map(({ topic }) => `On ${topic as string}`)).toEqual(rows.map(({ said }) => said));
  expect([result.rows, result.failures.map(({ row }) => row)]).toEqual([3, [1, 3]]);
});

test('the group lists the images of a row that a processor cannot make for removal', async () => {
  const art = {
    alias: 'art',
    model: 'sim-image',
    provider: 'here',
    inference_parameters: { generation_type: 'image' },
  };
  const columns = [{ name: 'art', column_type: 'image', model_alias: 'art', prompt: 'Row {{ n }}.' }];
  const processors = [shape('own', { s: '{{ 6 // (n - 1) }}' })];
  const plan = planOf({ model_configs: [art], columns, processors }, SEED);
  await using group = openGroup(plan, { endpoint: simulator.url });
  const { rows, result } = await make(plan, GROUP, { gateway: group.gateway, folder });
  expect(rows.map(({ n }) => n)).toEqual([0, 2, 3, 4]);
  expect(result.orphanedImages).toEqual([expect.stringMatching(/^images\/art\//)]);
  expect(rows.flatMap((row) => row['art'])).not.toContain(result.orphanedImages[0]);
});

test('rows that cannot be drawn are lost before they open, and rows that fail later are lost too', async () => {
  const narrow = sampled('narrow', 'gaussian', { params: { mean: 0, stddev: 1 } });
  const plan = planOf(
    {
      columns: [narrow, expression('broken', '{{ 6 // (n - 2) }}')],
      constraints: [{ constraint_type: 'scalar_inequality', target_column: 'narrow', operator: 'gt', rhs: 50 }],
    },
    SEED,
  );
  const none = await make(plan, GROUP);
  expect(none.result).toMatchObject({
    rows: 0,
    lost: [{ column: 'narrow', code: 'column/constraint-unmet', rows: 5 }],
  });
  expect(none.rows).toEqual([]);
  const some = await make(planOf({ columns: [TOPIC, expression('broken', '{{ 6 // (n - 2) }}')] }, SEED), GROUP);
  expect(some.result).toMatchObject({ rows: 4, lost: [{ column: 'broken', rows: 1 }], failures: [{ row: 2 }] });
  expect(some.rows.map(({ n }) => n)).toEqual([0, 1, 3, 4]);
});

const shape = (name: string, template: object) => ({ name, processor_type: 'schema_transform', template });

test('side tables hold the dropped columns first, then the tables of processors in order', async () => {
  const plan = planOf(
    {
      columns: [{ ...TOPIC, drop: true }, expression('said', 'On {{ topic }}')],
      processors: [
        shape('first', { s: '{{ said }}' }),
        { name: 'tidy', processor_type: 'drop_columns', column_names: ['n'] },
        shape('second', { t: '{{ topic }}' }),
      ],
    },
    SEED,
  );
  const { rows, sideRows, result } = await make(plan, GROUP);
  expect(rows.map((row) => Object.keys(row))).toEqual(Array.from({ length: 5 }, () => ['said']));
  const [dropped, first, second] = sideRows;
  expect(dropped?.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4]);
  expect(first).toEqual(rows.map(({ said }) => ({ s: said })));
  expect(second).toEqual(dropped?.map(({ topic }) => ({ t: topic })));
  expect(result.rows).toBe(5);
});

/** A processor of the calling program, and the rows it got. */
function processorOf(stage: string, change: (rows: readonly Row[]) => readonly Row[]) {
  const given: (readonly Row[])[] = [];
  const process = (rows: readonly Row[]): readonly Row[] => {
    given.push(structuredClone(rows));
    return change(rows);
  };
  return { given, process, processor: { name: 'own', processor_type: 'custom', stage, process } };
}

test('rows are made from the output of a pre_batch processor', async () => {
  const { given, process, processor } = processorOf('pre_batch', (rows) =>
    rows.map(({ topic }) => ({ topic: `${topic as string}!` })),
  );
  const plan = planOf({ columns: [TOPIC, expression('said', 'On {{ topic }}')], processors: [processor] });
  using functions = openFunctions({ 'processors.own.process': process });
  const { rows } = await make(plan, GROUP, { functions });
  expect(given).toHaveLength(1);
  expect(rows.map(({ said }) => said)).toEqual(given[0]?.map(({ topic }) => `On ${topic as string}!`));
});

test('a post_batch processor gets the rows before they are written and may change their number only in a preview', async () => {
  const { given, process, processor } = processorOf('post_batch', (rows) => rows.slice(1));
  const plan = planOf({ columns: [TOPIC, expression('said', 'On {{ topic }}')], processors: [processor] });
  using functions = openFunctions({ 'processors.own.process': process });
  const shown = await make(plan, GROUP, { functions, mayChangeRows: true });
  expect(shown.result.rows).toBe(4);
  expect(shown.rows).toEqual(given[0]?.slice(1));
  const refused = make(plan, GROUP, { functions });
  await expect(refused).rejects.toMatchObject({ code: 'processor/changed-rows', data: { given: 5, made: 4 } });
  // A dry replay only compares requests, so no processor runs.
  const looked = await make(plan, GROUP, { functions, isDryReplay: true });
  expect(looked).toMatchObject({ result: { rows: 5 }, sideTables: [] });
  expect(given).toHaveLength(2);
});

test('the memory of drawn columns is released after the write, that of seed rows is not', async () => {
  const numbers = Float64Array.from({ length: 5 }, (_, at) => at);
  const tables = new Map([['seed', new Map([['n', numbers]])]]);
  const plan = planOf({ columns: [WIDE] }, SEED);
  const { main, rows } = await make(plan, GROUP, { tables: async () => tables });
  expect(rows.map(({ wide }) => wide)).toEqual(Array.from({ length: 5 }, () => expect.any(Number)));
  expect((main.columns.get('wide') as Float64Array).buffer.byteLength).toBe(0);
  expect([...numbers]).toEqual([0, 1, 2, 3, 4]);
});

test('a group that cannot be written fails as a whole', async () => {
  const parts = { write: () => Promise.reject(new Error('the disk is gone')) };
  await expect(make(planOf({ columns: [TOPIC] }), GROUP, parts)).rejects.toThrow('the disk is gone');
});

test('a watcher can read the progress of a group until it ends', async () => {
  const told: string[] = [];
  const watch: RowGroupContext['watch'] = (look) => {
    told.push(`begun with ${look().rows} rows of group ${look().group}`);
    return { report: () => {}, [Symbol.dispose]: () => told.push(`over with ${look().rows}`) };
  };
  await make(planOf({ columns: [TOPIC, expression('said', 'On {{ topic }}')] }), GROUP, { watch });
  expect(told).toEqual(['begun with 0 rows of group 2', 'over with 5']);
});

const TOOLS: MCPProvider = {
  name: 'demo',
  providerType: 'stdio',
  command: process.execPath,
  args: [...process.execArgv, new URL(demoToolsProgram).pathname],
  env: {},
};

test(
  'a replay repeats a conversation with tools from the journal, without an endpoint or a tool server',
  { tags: 'long' },
  async () => {
    const plan = planOf({
      model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'here' }],
      tool_configs: [{ tool_alias: 'facts', providers: ['demo'] }],
      columns: [
        TOPIC,
        {
          name: 'answer',
          column_type: 'llm-text',
          model_alias: 'writer',
          tool_alias: 'facts',
          with_trace: true,
          prompt: 'A fact about {{ topic }}, with the tool get_fact.',
        },
      ],
    });
    const journal = join(folder, 'journal');
    const madeWith = async (options: GroupOptions) => {
      await using group = openGroup(plan, { journal, ...options });
      const { rows, result } = await make(plan, GROUP, { gateway: group.gateway });
      return { rows, result, frozen: { demo: await group.router.frozenTools('demo') } };
    };
    const before = (await simulator.stats()).requests;
    const first = await madeWith({ endpoint: simulator.url, tools: [TOOLS] });
    expect(first.result).toMatchObject({ rows: 5, lost: [], unfinished: 0 });
    const { writer } = first.result.usage;
    const calls = Object.values(first.result.tools).reduce((sum, { calls: count }) => sum + count, 0);
    expect(calls).toBeGreaterThanOrEqual(5);
    expect(writer).toMatchObject({ toolCalls: calls, failedRequests: 0 });
    const entries = entriesOf(journal);
    expect(entries).toHaveLength((writer?.requests ?? 0) + calls);
    expect((await simulator.stats()).requests - before).toBe(writer?.requests);
    const again = await madeWith({ endpoint: 'http://127.0.0.1:9/v1', frozen: first.frozen });
    expect(again).toEqual(first);
    expect(entriesOf(journal)).toEqual(entries);
  },
);
