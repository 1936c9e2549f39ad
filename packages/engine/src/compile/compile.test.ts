import { expect, test } from 'vitest';
import { checkDataset, parseDataset } from '@data-designer/config';
import { field, Float, type Plan, rowGroups } from '@data-designer/core';
import { expression, planOf, registry, sampled } from '../../test/plan-of.ts';

const WRITER = { alias: 'writer', model: 'm1', provider: 'here' };
const text = (name: string, prompt: string, rest: object = {}): object => {
  return { name, column_type: 'llm-text', model_alias: 'writer', prompt, ...rest };
};
const TOPIC = sampled('topic', 'category', { params: { values: ['moon', 'salt'] } });
const NUMBER = sampled('number', 'uniform', { params: { low: 0, high: 5 } });

/** Finds a column of the plan. */
function column({ columns }: Plan, name: string) {
  const found = columns.find((one) => one.name === name);
  if (!found) throw new Error(`the plan has no column '${name}'`);
  return found;
}
const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

test('planned columns are in dependency order, fields in declared order after those of samplers', () => {
  const plan = planOf({
    model_configs: [WRITER],
    columns: [
      expression('last', '{{ answer }} {{ answer__trace }} {{ first }}'),
      text('answer', 'Say {{ topic }}', { with_trace: true }),
      expression('first', '{{ number }}'),
      TOPIC,
      NUMBER,
    ],
  });
  expect(names(plan.columns)).toEqual(['topic', 'answer', 'number', 'first', 'last']);
  expect(names(plan.fields)).toEqual(['topic', 'number', 'last', 'answer', 'answer__trace', 'first']);
  // A side effect is read under its own name, but its main column makes it.
  expect(column(plan, 'last')).toMatchObject({
    needs: ['answer', 'first'],
    reads: ['answer', 'answer__trace', 'first'],
    skipReads: [],
    writes: [field('last', 'utf8', { nullable: true })],
    requires: { models: [], tools: [] },
  });
  expect(column(plan, 'answer').requires).toMatchObject({ models: ['writer'], tools: [] });
  expect(column(plan, 'number').writes).toEqual([field('number', 'float64', { nullable: false })]);
});

test('a skip rule is planned with its own reads, apart from those of the cell', () => {
  const skip = { when: '{{ number > 3 }}', value: 'none' };
  const plan = planOf({
    columns: [expression('shout', '{{ topic | upper }}', { skip, propagate_skip: false }), TOPIC, NUMBER],
  });
  expect(column(plan, 'shout')).toMatchObject({
    config: { skip, propagateSkip: false },
    needs: ['topic', 'number'],
    reads: ['topic'],
    skipReads: ['number'],
  });
});

test('a column depends on the column that a constraint compares it with', () => {
  const plan = planOf({
    columns: [
      sampled('low', 'uniform', { params: { low: 0, high: 9 } }),
      sampled('high', 'uniform', { params: { low: 0, high: 9 } }),
    ],
    constraints: [
      { constraint_type: 'column_inequality', target_column: 'low', operator: 'lt', rhs: 'high' },
      { constraint_type: 'scalar_inequality', target_column: 'high', operator: 'le', rhs: 8 },
      { constraint_type: 'scalar_inequality', target_column: 'high', operator: 'le', rhs: Infinity },
    ],
  });
  expect(names(plan.columns)).toEqual(['high', 'low']);
  expect(column(plan, 'low').needs).toEqual(['high']);
  // An infinite bound excludes nothing, and JSON cannot hold it.
  expect(plan.constraints).toMatchObject([
    { targetColumn: 'low', operator: 'lt', rhs: 'high' },
    { targetColumn: 'high', operator: 'le', rhs: 8 },
  ]);
});

test.each([
  ['short rows', 100, 1000],
  ['long rows', 64 * 1024, 48],
  ['rows of many megabytes', 2 ** 30, 1],
])('%s of a seed make row groups of bounded size', (_rows, rowBytes, groupSize) => {
  const plan = planOf({ model_configs: [WRITER], columns: [text('answer', 'Say it')] }, { rowBytes });
  expect(plan.segments).toEqual([{ firstRow: 0, rows: 10, groupSize }]);
});

test.each([
  ['short answers', { max_tokens: 2000 }, [1000, 1000]],
  ['long answers', { max_tokens: 25_000 }, [251, 125]],
  ['answers of many megabytes', { max_tokens: 10_000_000, max_parallel_requests: 64 }, [43, 43]],
])('%s, and their traces, make row groups of bounded size that use the permits', (_answers, parameters, sizes) => {
  const model = { ...WRITER, inference_parameters: parameters };
  const sizeWith = (rest: object) =>
    planOf({ model_configs: [model], columns: [text('answer', 'Say it', rest)] }).segments[0]?.groupSize;
  expect([sizeWith({}), sizeWith({ with_trace: 'all_messages' })]).toEqual(sizes);
});

test('floats of any size cross threads as JSON and stay floats', () => {
  const plan = planOf({
    columns: [NUMBER],
    constraints: [{ constraint_type: 'scalar_inequality', target_column: 'number', operator: 'lt', rhs: 1e300 }],
  });
  expect(plan.constraints[0]?.rhs).toEqual(new Float(1e300));
  const wide = planOf({ columns: [sampled('wide', 'uniform', { params: { low: 0, high: 1e300 } })] });
  expect(column(wide, 'wide').config).toMatchObject({ params: { high: new Float(1e300) } });
});

test('the plan holds only the models, tools and limits in use', () => {
  const plan = planOf(
    {
      model_configs: [
        { ...WRITER, inference_parameters: { max_parallel_requests: 7, temperature: 0.5 } },
        { alias: 'unused', model: 'm2', provider: 'here' },
      ],
      tool_configs: [
        {
          tool_alias: 'facts',
          providers: ['demo'],
          allow_tools: ['get_fact'],
          max_tool_call_turns: 2,
          single_machine: true,
        },
        { tool_alias: 'unused', providers: ['other'] },
      ],
      columns: [TOPIC, text('answer', 'Say {{ topic }}', { tool_alias: 'facts' })],
    },
    { priceOf: (provider, model) => (`${provider} ${model}` === 'here m1' ? PRICING : undefined) },
  );
  expect(Object.keys(plan.models)).toEqual(['writer']);
  expect(plan.models.writer).toMatchObject({
    alias: 'writer',
    resource: 'model/here/m1',
    model: 'm1',
    pricing: PRICING,
    parameters: { temperature: 0.5 },
    drawn: {},
  });
  expect(Object.keys(plan.tools)).toEqual(['facts']);
  expect(plan.tools.facts).toMatchObject({
    providers: ['demo'],
    allowTools: ['get_fact'],
    maxToolCallTurns: 2,
    singleMachine: true,
  });
  expect(plan.resources.map(({ id, kind, limit }) => [id, kind, limit])).toEqual([
    ['model/here/m1', 'model', 7],
    ['tools/demo', 'tools', expect.any(Number)],
  ]);
});
const PRICING = { input: 1, output: 2, cachedInput: null, image: null };

test('the provider determines the protocol and adds its extra body, and the plan holds no API key', () => {
  const provider = { name: 'here', endpoint: 'https://host', providerType: 'anthropic', apiKey: 'sk-canary' };
  const plan = planOf(
    {
      model_configs: [{ ...WRITER, inference_parameters: { extra_body: { top_k: 1, seed: 5 } } }],
      columns: [TOPIC, text('answer', 'Say {{ topic }}')],
    },
    { modelProviders: [{ ...provider, extraBody: { top_k: 3 }, extraHeaders: null }] },
  );
  // The extra body of the provider wins, as in the Python tool.
  expect(plan.models.writer).toMatchObject({ protocol: 'anthropic', parameters: { top_k: 3, seed: 5 } });
  expect(JSON.stringify(plan)).not.toContain('sk-canary');
});

test('a column can name tools of the home folder without declaring them, and a declared tool config of that name wins', () => {
  const document = {
    model_configs: [WRITER],
    columns: [TOPIC, text('answer', 'Say {{ topic }}', { tool_alias: 'facts' })],
  };
  const known = { toolAlias: 'facts', providers: ['home'], allowTools: null, maxToolCallTurns: 5, timeoutSec: 3 };
  const fromHome = planOf(document, { knownTools: [known] });
  expect(fromHome.tools.facts).toMatchObject({ providers: ['home'], timeoutMs: 3000 });
  const declared = { ...document, tool_configs: [{ tool_alias: 'facts', providers: ['own'] }] };
  const own = planOf(declared, { knownTools: [known] });
  expect(own.tools.facts).toMatchObject({ providers: ['own'] });
  // Tools of the home folder are part of the identity that a resumed run must share, but not of the config.
  const otherHome = planOf(document, { knownTools: [{ ...known, providers: ['elsewhere'] }] });
  expect(otherHome.fingerprint).toBe(fromHome.fingerprint);
  expect(otherHome.identity).not.toBe(fromHome.identity);
});

test('groups are small with paid columns, large without, and of `bufferSize` rows when set', () => {
  const local = { columns: [TOPIC] };
  const paid = { model_configs: [WRITER], columns: [TOPIC, text('answer', 'Say {{ topic }}')] };
  const segment = { firstRow: 0, rows: 2500 };
  expect(planOf(local, { numRecords: 2500 }).segments).toEqual([{ ...segment, groupSize: 10_000 }]);
  expect(planOf(paid, { numRecords: 2500 }).segments).toEqual([{ ...segment, groupSize: 1000 }]);
  const shared = (numRecords: number) => planOf(paid, { numRecords, isShared: true }).segments[0]?.groupSize;
  expect([3, 20, 500, 1_000_000].map(shared)).toEqual([1, 3, 8, 1000]);
  const own = planOf(paid, { numRecords: 2500, run: { bufferSize: 999 } });
  expect([...rowGroups(own)]).toEqual([
    { index: 0, firstRow: 0, rows: 999 },
    { index: 1, firstRow: 999, rows: 999 },
    { index: 2, firstRow: 1998, rows: 502 },
  ]);
});

test('the run settings are in the plan, and the plan draws a seed when none is given', () => {
  const run = {
    seed: 7,
    jinjaRenderingEngine: 'native',
    maxConversationRestarts: 2,
    maxConversationCorrectionSteps: 3,
    maxCost: 1.5,
  };
  const { jinjaRenderingEngine: templates, ...others } = run;
  expect(planOf({ columns: [TOPIC] }, { run })).toMatchObject({ templates, ...others });
  const drawn = [1, 2, 3].map(() => planOf({ columns: [TOPIC] }, { run: { seed: null } }).seed);
  expect(new Set(drawn).size).toBe(3);
  for (const seed of drawn) expect(seed).toSatisfy((one: number) => Number.isSafeInteger(one) && one >= 0);
});

function pacedDocument(prompt: string, limit: number, more: object): object {
  const parameters = { max_parallel_requests: limit, timeout: limit, ...more };
  return { model_configs: [{ ...WRITER, inference_parameters: parameters }], columns: [TOPIC, text('answer', prompt)] };
}

const SEEDED = {
  columns: [expression('e', '{{ v }}')],
  model_configs: [{ alias: 'm', model: 'x', provider: 'p' }],
  seed_config: { source: { seed_type: 'local', path: 's.csv' } },
};
const dropping = (column_names: string[]) => ({ processor_type: 'drop_columns', name: 'd', column_names });

/** The hashes that NeMo Data Designer 0.9.7 writes for these declarations. */
test.each<[string, object, string[], string]>([
  ['seed columns', SEEDED, ['k', 'v'], 'sha256:f8aa17bb433c2f313be310f0161180d83cc570fc79fb1d738c2595f0db79dbc9'],
  [
    'a dropped seed column',
    { ...SEEDED, processors: [dropping(['k'])] },
    ['k', 'v'],
    'sha256:f14c857dfe2248ad0dab4c92fa7ce6a3bd29928fe27a2f20088acfe10cc02aa3',
  ],
  [
    'seed columns dropped by a pattern',
    { ...SEEDED, processors: [dropping(['k*'])] },
    ['k', 'v', 'k2'],
    'sha256:d86d3b0476227197dba2ddb4a54410cb50420484471dc09a023a3b2c29b74af4',
  ],
  [
    'neither seed nor sampler columns',
    { columns: [expression('e', 'a')], model_configs: SEEDED.model_configs },
    [],
    'sha256:619bdc4f31fcfd11594ff3f0a68a2e5f5984c140da6d52191f1546997a2f6b1c',
  ],
  [
    'a dropped sampler column',
    {
      columns: [{ ...sampled('u', 'uuid', { params: {} }), drop: true }, expression('e', '{{ u }}')],
      model_configs: SEEDED.model_configs,
    },
    [],
    'sha256:5678b90262e17cd1511f65a8e55c9431d9b805c9558dbf76afc6bfd944f70f7a',
  ],
])('the fingerprint equals the hash of NeMo Data Designer with %s', (...[, document, seedColumns, hash]) => {
  const tables = [{ id: 'seed', fields: seedColumns.map((name) => field(name, 'utf8')) }];
  expect(planOf(document, seedColumns.length > 0 ? { tables } : {}).fingerprint).toBe(hash);
});

test('the seed and the request limits do not change the fingerprint, a prompt and a model parameter do', () => {
  const plan = planOf(pacedDocument('Say {{ topic }}', 4, { temperature: 0.5 }));
  const sameButPace = planOf(pacedDocument('Say {{ topic }}', 9, { temperature: 0.5 }), {
    run: { seed: 99 },
    numRecords: 77,
  });
  const rates = { requests_per_minute: 60, tokens_per_minute: 9000 };
  const sameButRates = planOf(pacedDocument('Say {{ topic }}', 4, { temperature: 0.5, ...rates }));
  for (const same of [sameButPace, sameButRates]) {
    expect([same.fingerprint, same.identity]).toEqual([plan.fingerprint, plan.identity]);
  }
  for (const other of [
    pacedDocument('Tell {{ topic }}', 4, { temperature: 0.5 }),
    pacedDocument('Say {{ topic }}', 4, { temperature: 0.6 }),
  ]) {
    expect(planOf(other).fingerprint).not.toBe(plan.fingerprint);
    expect(planOf(other).identity).not.toBe(plan.identity);
  }
});

test('dropped columns are made and written to a side table, unless the run discards them', () => {
  const document = {
    model_configs: [WRITER],
    processors: [{ name: 'tidy', processor_type: 'drop_columns', column_names: ['note*'] }],
    columns: [
      { ...TOPIC, drop: true },
      text('answer', 'Say {{ topic }}', { with_trace: true, drop: true }),
      expression('notes', '{{ topic }}'),
      expression('kept', '{{ notes }}'),
    ],
  };
  const plan = planOf(document);
  expect(names(plan.columns)).toEqual(['topic', 'answer', 'notes', 'kept']);
  // The trace of a dropped column stays in the main table.
  expect(names(plan.fields)).toEqual(['answer__trace', 'kept']);
  expect(names(plan.dropped ?? [])).toEqual(['topic', 'answer', 'notes']);
  expect(planOf(document, { run: { preserveDroppedColumns: false } })).toMatchObject({
    dropped: null,
    fields: plan.fields,
  });
});

test('processors are planned in order, with their side table and the columns it reads', () => {
  const template = { q: '{{ topic }}', n: '{{ number }}', fixed: 1 };
  const { processors } = planOf({
    columns: [TOPIC, NUMBER],
    processors: [
      { name: 'chats', processor_type: 'schema_transform', template },
      { name: 'tidy', processor_type: 'drop_columns', column_names: ['number'] },
    ],
  });
  expect(processors).toMatchObject([
    {
      config: { name: 'chats' },
      stage: 'post_batch',
      sideTable: {
        fields: [
          { name: 'q', type: 'utf8' },
          { name: 'n', type: 'utf8' },
          { name: 'fixed', type: 'int64' },
        ],
        reads: expect.arrayContaining(['topic', 'number']),
      },
      process: null,
    },
    { config: { name: 'tidy' }, sideTable: null, process: null },
  ]);
});

test('the columns of the seed table become columns of the plan with their types, those of other tables do not', () => {
  const table = { id: 'seed', fields: [field('place', 'utf8'), field('height', 'int64')] };
  const other = { id: 'people', fields: [field('age', 'int64')] };
  const plan = planOf({ columns: [expression('label', '{{ place }}: {{ height }}')] }, { tables: [other, table] });
  expect(names(plan.columns)).toEqual(['place', 'height', 'label']);
  expect(column(plan, 'label').needs.toSorted()).toEqual(['height', 'place']);
  expect(column(plan, 'height').writes).toEqual([field('height', 'int64')]);
  expect(names(plan.fields)).toEqual(['place', 'height', 'label']);
  expect(plan.tables).toEqual([other, table]);
});

test('rows get an internal id only if a template reads it, and the id is not written', () => {
  const plan = planOf({ columns: [expression('label', 'row {{ _internal_row_id }}')] });
  expect(names(plan.columns)).toEqual(['_internal_row_id', 'label']);
  expect(names(plan.fields)).toEqual(['label']);
  expect(plan.dropped).toEqual([]);
  expect(names(planOf({ columns: [expression('label', 'row')] }).columns)).toEqual(['label']);
});

test('`debugOverrideSaveAllColumnTraces` stores the full trace of every model column', () => {
  const document = {
    model_configs: [WRITER],
    columns: [TOPIC, text('answer', 'Say {{ topic }}'), text('brief', '{{ topic }}?', { with_trace: 'last_message' })],
  };
  const plan = planOf(document);
  expect(names(plan.fields)).toEqual(['topic', 'answer', 'brief', 'brief__trace']);
  const traced = planOf(document, { run: { debugOverrideSaveAllColumnTraces: true } });
  expect(names(traced.fields)).toEqual(['topic', 'answer', 'answer__trace', 'brief', 'brief__trace']);
  expect(column(traced, 'brief').config).toMatchObject({ withTrace: 'all_messages' });
  expect(traced.identity).not.toBe(plan.identity);
});

test('the plan has profiler models and plug-in modules only if the config has some', () => {
  const columns = [TOPIC];
  const plan = planOf({ columns });
  expect(plan).not.toHaveProperty('profilers');
  expect(plan).not.toHaveProperty('plugins');
  const profilers = [{ model_alias: 'writer', summary_score_sample_size: 5 }];
  const more = planOf({ columns, model_configs: [WRITER], profilers }, { plugins: ['file:///own.ts'] });
  expect(more.plugins).toEqual(['file:///own.ts']);
  expect(more.profilers).toMatchObject([
    { model: { alias: 'writer' }, resource: { id: 'model/here/m1' }, sampleSize: 5 },
  ]);
  // A profiler sends requests after all rows are made, so the run itself needs no models.
  expect(more.resources).toEqual([]);
});

test('a plan is plain data', () => {
  const plan = planOf({
    model_configs: [WRITER],
    columns: [TOPIC, text('answer', 'Say {{ topic }}', { with_trace: true, skip: { when: '{{ topic == "salt" }}' } })],
    processors: [{ name: 'chats', processor_type: 'schema_transform', template: { q: '{{ topic }}' } }],
  });
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});

test('columns that depend on each other are rejected', () => {
  expect(() => planOf({ columns: [expression('a', '{{ b }}'), expression('b', '{{ a }}')] })).toThrow(/circle/);
});

test('the config check reports all errors at once, each with its path and a remedy', () => {
  const parsed = parseDataset(
    {
      columns: [
        { ...TOPIC, params: { values: [] } },
        text('answer', 'Say {{ topik }}', { tool_alias: 'none' }),
        expression('a', '{{ b }}'),
        expression('b', '{{ a }} {{ number }}'),
        { name: 'odd', column_type: 'llm-txt' },
        expression('torn', '{{ topic '),
      ],
      model_configs: [{ ...WRITER, alias: 'writter' }],
    },
    registry,
  );
  const found = checkDataset(parsed, { registry }).filter(({ level }) => level === 'ERROR');
  const told = found.map(({ path, message, remedy }) => `${path}: ${message} ${remedy}`);
  for (const mistake of [
    /^columns\[0\]\.params\.values: /,
    /^columns\[1\]\.prompt: there is no column 'topik'.*Did you mean 'topic'/,
    /^columns\[1\]\.model_alias: .*'writer'.*Did you mean 'writter'/,
    /^columns\[1\]\.tool_alias: .*'none'/,
    /^columns\[3\]\.expr: there is no column 'number'/,
    /^columns\[4\]\.column_type: there is no column type 'llm-txt'.*'llm-text'/,
    /^columns\[5\]\.expr: /,
    /a -> b -> a/,
  ]) {
    expect(told).toContainEqual(expect.stringMatching(mistake));
  }
});

function planWithShop(model: object, tool: object = {}): Plan {
  return planOf({
    model_configs: [WRITER, { alias: 'player', model: 'm2', provider: 'here', ...model }],
    tool_configs: [{ tool_alias: 'shop-tools', providers: ['shop'] }],
    environments: [{ name: 'shop', kind: 'simulated', model_alias: 'player', tools: [{ name: 'buy', ...tool }] }],
    columns: [text('work', 'Buy {{ topic }}', { tool_alias: 'shop-tools' }), text('other', 'Say {{ topic }}'), TOPIC],
  });
}

test('the models of environments are planned with the columns that use them, and belong to the identity', () => {
  const plan = planWithShop({});
  expect(column(plan, 'work').requires).toMatchObject({ models: ['writer', 'player'], worldModels: ['player'] });
  expect(column(plan, 'other').requires).toMatchObject({ models: ['writer'] });
  expect(plan.environments).toMatchObject([{ name: 'shop', models: ['player'] }]);
  expect(plan.models).toMatchObject({ player: { model: 'm2' } });
  expect(plan.resources).toMatchObject([{ id: 'model/here/m1' }, { id: 'model/here/m2' }]);
  expect(planWithShop({ model: 'm3' }).identity).not.toBe(plan.identity);
  expect(planWithShop({ inference_parameters: { max_parallel_requests: 9 } }).identity).toBe(plan.identity);
  const ofTable = planWithShop({}, { lookup: [] });
  expect(ofTable.environments).not.toMatchObject([{ models: ['player'] }]);
  expect(Object.keys(ofTable.models)).toEqual(['writer']);
});
