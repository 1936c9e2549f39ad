import { expect, test } from 'vitest';
import { z } from 'zod';
import { field, type Violation } from '@data-designer/core';
import { ColumnRegistry } from '../column-registry.ts';
import { columnFields, defineColumn, sourceColumnFields } from '../define-column.ts';
import { defineProcessor } from '../define-processor.ts';
import { parseDataset } from '../parse-dataset.ts';
import { modelConfig } from '../schemas/model-config.ts';
import { checkDataset, type CheckOptions } from './check-dataset.ts';

/** A column of numbers that is filled before any row. */
const drawn = defineColumn({
  type: 'drawn',
  schema: z.strictObject({ ...sourceColumnFields('drawn'), after: z.string().nullable().default(null) }),
  reads: ({ after }) => (after === null ? [] : [{ name: after, field: ['after'] }]),
  writes: ({ name }) => [field(name, 'float64')],
  fill: () => () => ({ written: [[]] }),
});

/** A column of text from a template. */
const written = defineColumn({
  type: 'written',
  schema: z.strictObject({ ...columnFields('written'), expr: z.string() }),
  templates: ({ expr }) => [{ source: expr, field: ['expr'], role: 'expression' }],
  writes: ({ name }) => [field(name, 'utf8')],
  cell: () => () => [''],
});

/** A column of text from a model, with a side effect. */
const told = defineColumn({
  type: 'told',
  schema: z.strictObject({
    ...columnFields('told'),
    prompt: z.string(),
    modelAlias: z.string().default('writer'),
    toolAlias: z.string().nullable().default(null),
    spareModelAlias: z.string().exactOptional(),
    user: z.strictObject({ modelAlias: z.string(), toolAlias: z.string() }).exactOptional(),
  }),
  templates: ({ prompt }) => [{ source: prompt, field: ['prompt'], role: 'prompt' }],
  writes: ({ name }) => [field(name, 'utf8'), field(`${name}__trace`, 'utf8')],
  requires: ({ modelAlias, toolAlias, spareModelAlias, user }) => ({
    models: [modelAlias, spareModelAlias, user?.modelAlias].filter((alias) => alias !== undefined),
    tools: [toolAlias, user?.toolAlias].filter((alias) => typeof alias === 'string'),
  }),
  cell: () => () => [''],
});

const registry = new ColumnRegistry([drawn, written, told]);
const writer = { alias: 'writer', model: 'm', provider: 'acme' };
const providers = { models: ['acme'], tools: ['docs'] };

function check(document: object, options: Partial<CheckOptions> = {}): readonly Violation[] {
  const parsed = parseDataset({ model_configs: [writer], ...document }, registry);
  return checkDataset(parsed, { registry, providers, ...options });
}

const told1 = ({ stage, type, level, path }: Violation) => `${stage} ${level} ${type} ${path}`;
const draw = (name: string, more: object = {}) => ({ name, column_type: 'drawn', ...more });
const write = (name: string, expr: string, more: object = {}) => ({ name, column_type: 'written', expr, ...more });
const rule = (when: string) => ({ skip: { when: `{{ ${when} }}` } });
const ask = (name: string, prompt: string, more: object = {}) => ({ name, column_type: 'told', prompt, ...more });

const constraint = (target: string, rhs: unknown) => ({ target_column: target, operator: 'lt', rhs });
const drop = (name: string, ...column_names: string[]) => ({ name, processor_type: 'drop_columns', column_names });

/** A tool config of the home folder. */
const toolsAt = (provider: string) => ({
  toolAlias: 'lookup',
  providers: [provider],
  allowTools: null,
  maxToolCallTurns: 5,
  timeoutSec: null,
});

/** A model of the home folder. */
const modelOfHome = modelConfig.parse({ alias: 'writer', model: 'm', provider: 'acme' });

/** A shape with one template. */
const shapeOf = (template: string) => ({
  name: 'shape',
  processor_type: 'schema_transform',
  template: { x: [template] },
});

test('a valid config has no findings', () => {
  const columns = [draw('a'), ask('b', '{{ a }}'), write('c', '{{ b__trace }} {{ range(2) }}')];
  expect(check({ columns })).toEqual([]);
});

test('one pass reports schema, reference, template, model and cycle errors, each at its path', () => {
  const found = check({
    columns: [
      draw('a', { colour: 'red' }),
      write('b', '{{ a }} {{ ghost }}'),
      write('c', '{{ d }}'),
      write('d', '{{ c }}'),
      write('e', '{{ b'),
      ask('f', '{{ b|tojson }}', { model_alias: 'writr' }),
    ],
  });
  expect(found.map(told1).toSorted()).toEqual([
    'load ERROR template/syntax columns[4].expr',
    'load ERROR unknown_key columns[0].colour',
    'run ERROR circular_reference columns[2]',
    'run ERROR template/unsupported-filter columns[5].prompt',
    'run ERROR unknown_model_alias columns[5].model_alias',
    'validate ERROR expression_reference_missing columns[1].expr',
  ]);
  expect(found.find(({ type }) => type === 'circular_reference')?.message).toContain('c -> d -> c');
});

test('templates may reference a column that failed to load, and its side effects', () => {
  const columns = [ask('a', '{{ b }}', { drop: 'perhaps' }), write('b', '{{ a }} {{ a__trace }}')];
  expect(check({ columns }).map(told1)).toEqual(['load ERROR invalid_value columns[0].drop']);
});

test('a filter of the native engine is an error only with the secure engine', () => {
  const columns = [draw('a'), write('b', '{{ a|tojson }}')];
  expect(check({ columns }).map(told1)).toEqual(['run ERROR template/unsupported-filter columns[1].expr']);
  expect(check({ columns }, { templates: 'native' })).toEqual([]);
});

test('a prompt without references and a name in single braces are warnings', () => {
  const columns = [draw('a'), ask('b', 'Say {a} and { other')];
  expect(check({ columns }).map(told1)).toEqual([
    'validate WARNING prompt_without_references columns[1].prompt',
    'validate WARNING f_string_syntax columns[1].prompt',
  ]);
});

test.each([
  '{ "x": {{ a }} }',
  '{"x": {"y": {{ a }}}}',
  '{ a: {{ a }} }',
  '{ a: 5, "b": {{ a }} }',
  '{% if a %}{ {{ a }} }{% endif %}',
  '{# {a} #}{{ a }}',
  '{{ {"a": a} }}',
])('braces of JSON around a template are no warning: %s', (prompt) => {
  expect(check({ columns: [draw('a'), ask('b', prompt)] })).toEqual([]);
});

test.each(['{{ a }} { a }', '{{ a }} {a!r}', '{{ a }} {a:>8}', '{ "x": {{ a }}, "y": {a} }'])(
  'a name in single braces beside a template is a warning: %s',
  (prompt) => {
    const found = check({ columns: [draw('a'), ask('b', prompt)] });
    expect(found.map(told1)).toEqual(['validate WARNING f_string_syntax columns[1].prompt']);
  },
);

test('a column that references itself and a sampled column that references a later one are errors', () => {
  const columns = [draw('a', { after: 'b' }), write('b', '{{ b }}')];
  expect(check({ columns }).map(told1)).toEqual([
    'run ERROR late_reference columns[0].after',
    'run ERROR self_reference columns[1].expr',
  ]);
});

test('a skip rule must reference other, existing columns', () => {
  const columns = [draw('a'), ask('b', '{{ a }}', rule('b__trace')), write('c', '{{ a }}', rule('ghost > 1'))];
  expect(check({ columns }).map(told1)).toEqual([
    'load ERROR skip_on_itself columns[1].skip.when',
    'validate ERROR skip_reference_missing columns[2].skip.when',
  ]);
  const wrong = { columns: [draw('a', rule('a')), write('b', '{{ a }}', { skip: { when: 'a < 3' } })] };
  expect(check(wrong).map(told1)).toEqual([
    'load ERROR invalid_value columns[0].skip',
    'load ERROR invalid_value columns[1].skip.when',
  ]);
});

test('a missing provider is a warning if no column needs it, otherwise an error', { tags: 'long' }, () => {
  const other = { alias: 'other', model: 'm', provider: 'nowhere' };
  const columns = [draw('a'), ask('b', '{{ a }}', { tool_alias: 'lookup' })];
  const tools = { tool_alias: 'lookup', providers: ['docs', 'gone'] };
  expect(check({ columns, model_configs: [writer, other], tool_configs: [tools] }).map(told1)).toEqual([
    'run WARNING unknown_provider model_configs[1].provider',
    'run ERROR unknown_provider tool_configs[0].providers[1]',
  ]);
  const found = check({ columns, tool_configs: [tools] }, { providers: undefined });
  expect(found).toEqual([]);
});

test('a column may use a tool config of the home folder if its providers exist', () => {
  const columns = [draw('a'), ask('b', '{{ a }}', { tool_alias: 'lookup' })];
  expect(check({ columns }).map(told1)).toEqual(['run ERROR unknown_tool_alias columns[1].tool_alias']);
  expect(check({ columns }, { knownTools: [toolsAt('docs')] })).toEqual([]);
  expect(check({ columns }, { knownTools: [toolsAt('gone')] }).map(told1)).toEqual([
    'run ERROR unknown_provider columns[1].tool_alias',
  ]);
});

test('a model that does not generate text and an empty allow_tools list are errors', () => {
  const vectors = { alias: 'writer', model: 'm', provider: 'acme', inference_parameters: { dimensions: 3 } };
  const columns = [draw('a'), ask('b', '{{ a }}')];
  const tool_configs = [{ tool_alias: 'lookup', providers: ['docs'], allow_tools: [] }];
  expect(check({ columns, model_configs: [vectors], tool_configs }).map(told1)).toEqual([
    'run ERROR wrong_generation_type columns[1].model_alias',
    'run ERROR empty_allow_list tool_configs[0].allow_tools',
  ]);
});

test('constraints must compare existing sampled columns without a cycle', () => {
  const columns = [draw('a'), draw('b'), write('c', 'x')];
  const constraints = [constraint('a', 3), constraint('a', 'b'), constraint('ghost', 1), constraint('b', 'c')];
  const found = check({ columns, constraints });
  expect(found.map(told1)).toEqual([
    'run ERROR unknown_column constraints[2].target_column',
    'run ERROR constraint_not_on_sampler constraints[3].rhs',
  ]);
  const circle = [constraint('a', 'b'), constraint('b', 'a')];
  expect(check({ columns, constraints: circle }).map(told1)).toContain('run ERROR circular_reference columns[0]');
});

test('processors must reference existing columns, patterns should match, and one column must remain', () => {
  const columns = [draw('a'), ask('b', '{{ a }}')];
  const shape = { x: ['{{ a }} {{ b__trace }}', { y: '{{ ghost }}' }], w: '{{ b__trace }}', z: 3 };
  const processors = [
    drop('one', 'a', 'b__trace', 'ghost', 'x*'),
    { name: 'two', processor_type: 'schema_transform', template: shape },
  ];
  const found = check({ columns, processors });
  expect(found.map(({ column = null, ...one }) => `${told1(one)} ${column}`)).toEqual([
    'validate ERROR invalid_column processors[0].column_names[2] ghost',
    'validate WARNING invalid_column processors[0].column_names[3] null',
    'validate ERROR invalid_reference processors[1].template.x null',
    'validate ERROR invalid_reference processors[1].template.w null',
  ]);
  const nothing = check({ columns, processors: [drop('all', '*')] });
  expect(nothing.map(told1)).toContain('validate ERROR all_columns_dropped columns');
  expect(check({ columns: [] }).map(told1)).toEqual(['validate ERROR all_columns_dropped columns']);
});

test('of two declarations with the same name, the later one counts, with a warning at its path', () => {
  const columns = [draw('a'), write('b', '{{ a }}'), write('a', '{{ ghost }}')];
  expect(check({ columns, model_configs: [writer, writer] }).map(told1)).toEqual([
    'run WARNING duplicate_name columns[2].name',
    'run WARNING duplicate_name model_configs[1].alias',
    'validate ERROR expression_reference_missing columns[2].expr',
  ]);
});

test('an invalid model config does not make its alias unknown', () => {
  const columns = [draw('a'), ask('b', '{{ a }}')];
  const model_configs = [{ ...writer, inference_parameters: { temperature: 3 } }];
  expect(check({ columns, model_configs }).map(told1)).toEqual([
    'load ERROR invalid_value model_configs[0].inference_parameters.temperature',
  ]);
});

test('all unknown names of a prompt are one finding, each unknown name of an expression is its own', () => {
  const columns = [draw('a'), ask('b', '{{ a }} {{ ghost }} {{ spook }}'), write('c', '{{ ghost }} {{ spook }}')];
  expect(check({ columns }).map(({ type, message }) => `${type}: ${message}`)).toEqual([
    "invalid_reference: there are no columns 'ghost', 'spook'.",
    "expression_reference_missing: there is no column 'ghost'.",
    "expression_reference_missing: there is no column 'spook'.",
  ]);
});

test('a column is not told to read what it writes itself', () => {
  const remedies = check({ columns: [draw('a'), ask('b', '{{ ghost }}'), write('c', '{{ ghost }}')] });
  expect(remedies.map(({ remedy }) => remedy)).toEqual(['Use one of: a, c.', 'Use one of: a, b, b__trace.']);
});

const foundInShape = (template: string) => check({ columns: [draw('a')], processors: [shapeOf(template)] }).map(told1);

test('an invalid template of a shape is a validate error, a filter that the engine refuses is a run error', () => {
  expect(foundInShape('{{ a')).toEqual(['validate ERROR template/syntax processors[0].template.x']);
  expect(foundInShape('{{ a|nope }}')).toEqual(['validate ERROR template/unsupported-filter processors[0].template.x']);
  expect(foundInShape('{{ a|tojson }}')).toEqual(['run ERROR template/unsupported-filter processors[0].template.x']);
});

test('a replaced column must still load', () => {
  const columns = [draw('a'), write('b', '{{ a'), write('c', '{{ a }}', rule('c')), write('b', 'x'), write('c', 'x')];
  expect(
    check({ columns })
      .filter(({ level }) => level === 'ERROR')
      .map(told1),
  ).toEqual(['load ERROR template/syntax columns[1].expr', 'load ERROR skip_on_itself columns[2].skip.when']);
});

test('a config without sampled and seed columns has the row ID column of the Python tool', () => {
  const id = '_internal_row_id';
  const columns = [write('a', `{{ ${id} }}`)];
  const processors = [{ name: 'p', processor_type: 'drop_columns', column_names: ['_int*'] }];
  expect(check({ columns, processors })).toEqual([]);
  expect(check({ columns: [...columns, draw('b')] }).map(told1)).toEqual([
    'validate ERROR expression_reference_missing columns[0].expr',
  ]);
});

const shape = (name: string, template: object) => ({ name, processor_type: 'schema_transform', template });

test('a shape must reference undropped columns, have fixed keys, and have a name that fits a folder', () => {
  const columns = [draw('a'), draw('b')];
  const found = (...processors: object[]) => check({ columns, processors }).map(told1);
  expect(found(shape('s', { x: '{{ a }}' }), drop('p', 'a'))).toEqual([]);
  expect(found(drop('p', 'a*'), shape('s', { x: '{{ a }} {{ b }}' }))).toEqual([
    'run ERROR dropped_before processors[1].template',
  ]);
  expect(found(shape('s', { '{{ a }}': 1 }))).toEqual(['run ERROR shape_names processors[0].template']);
  expect(found(shape('s', {}))).toEqual(['run ERROR shape_names processors[0].template']);
  for (const name of ['../up', 'a/b', '..', ' ', 'x'.repeat(300), 'a\u0000b']) {
    expect(found(shape(name, { x: 1 }))).toEqual(['run ERROR processor_name processors[0].name']);
  }
});

test('a shape that keeps types may read side effects, and each of its texts is a template by itself', () => {
  const columns = [draw('a'), ask('b', '{{ a }}')];
  const kept = (template: object) => check({ columns, processors: [{ ...shape('s', template), keep_types: true }] });
  expect(kept({ x: '{{ b__trace }}', y: [{ z: '{{ b__trace[0].role }} {{ a }}' }] })).toEqual([]);
  expect(kept({ x: ['{{ ghost }}', 'by {{ other }}'] }).map((one) => [told1(one), one.message])).toEqual([
    ['validate ERROR invalid_reference processors[0].template.x', "there is no column 'ghost', 'other'."],
  ]);
  const open = kept({ x: ['{% if a %}', '{% endif %}'] });
  expect(open.map(told1)).toEqual(['validate ERROR template/syntax processors[0].template.x']);
});

test('a skip rule that references only template globals is a finding, unless a column has that name', () => {
  const columns = [draw('a'), write('b', '{{ a }}', rule('range(3)'))];
  expect(check({ columns }).map(({ type }) => type)).toEqual(['skip_without_references']);
  const named = [...columns, draw('range')];
  expect(check({ columns: named })).toEqual([]);
});

test('replacing a processor undoes the drops of the replaced one', () => {
  const columns = [draw('a', { drop: true }), draw('b'), draw('c')];
  const dropped = (processors: object[]) =>
    parseDataset({ columns, processors }, registry).config.columns.flatMap(({ name, drop: is }) => (is ? [name] : []));
  expect(dropped([drop('p', 'a'), drop('p', 'b')])).toEqual(['b']);
  expect(dropped([drop('p', 'a', 'c'), drop('q', 'a'), drop('p', 'b')])).toEqual(['a', 'b']);
  expect(dropped([])).toEqual(['a']);
});

test('invalid weights of a temperature distribution are an error', () => {
  const temperature = { params: { values: [0.5, 1], weights: [-1, 2] } };
  const model_configs = [{ ...writer, inference_parameters: { temperature } }];
  expect(check({ columns: [draw('a')], model_configs }).map(told1)).toEqual([
    'run ERROR invalid_weights model_configs[0].inference_parameters.temperature.params.weights',
  ]);
});

test('checkDataset reports the first 1,000 mistakes and counts the rest', () => {
  const found = check({ columns: [draw('a')], model_configs: Array.from({ length: 5000 }, () => 1) });
  expect(found).toHaveLength(1001);
  expect(found.at(-1)?.message).toBe('there are 4000 more mistakes.');
});

test('the last of 3,000 unknown names is reported without a remedy', { tags: 'long' }, () => {
  const columns = [draw('a'), ...Array.from({ length: 3000 }, (_, index) => write(`c${index}`, `{{ ghost${index} }}`))];
  const found = check({ columns });
  expect(found).toHaveLength(3000);
  expect(found.at(-1)?.remedy).toBe('');
});

test('an unknown model or tool alias is reported at the field that names it', () => {
  const columns = [draw('a'), ask('b', '{{ a }}', { spare_model_alias: 'ghost', tool_alias: 'ghost' })];
  expect(check({ columns }).map(told1)).toEqual([
    'run ERROR unknown_model_alias columns[1].spare_model_alias',
    'run ERROR unknown_tool_alias columns[1].tool_alias',
  ]);
  const nested = [draw('a'), ask('b', '{{ a }}', { user: { model_alias: 'ghost', tool_alias: 'ghost' } })];
  expect(check({ columns: nested }).map(({ path }) => path)).toEqual([
    'columns[1].user.model_alias',
    'columns[1].user.tool_alias',
  ]);
  const both = [draw('a'), ask('b', '{{ a }}', { model_alias: 'x', spare_model_alias: 'y' })];
  expect(check({ columns: both }).map(({ path }) => path)).toEqual([
    'columns[1].model_alias',
    'columns[1].spare_model_alias',
  ]);
});

test.each<[string, (columns: readonly object[]) => object]>([
  ['columns that reference each other', (columns) => ({ columns })],
  ['columns declared twice', (columns) => ({ columns: [...columns, ...columns] })],
  [
    'a drop list of all columns',
    (columns) => {
      const names = columns.map((column) => (column as { readonly name: string }).name);
      return { columns, processors: [{ name: 'd', processor_type: 'drop_columns', column_names: names }] };
    },
  ],
])('the work of parsing and checking is linear in the number of columns: %s', (_, datasetOf) => {
  /** How often the names of `count` columns are read. */
  const looksAt = (count: number): number => {
    let looks = 0;
    const counted = (parsed: ReturnType<typeof drawn.schema.safeParse>) => {
      const name = parsed.data?.name;
      const get = () => (looks++, name);
      return parsed.data
        ? { ...parsed, data: Object.defineProperty(parsed.data, 'name', { get, enumerable: true }) }
        : parsed;
    };
    const schema = new Proxy(drawn.schema, {
      get: (target, key) =>
        key === 'safeParse'
          ? (value: unknown) => counted(target.safeParse(value))
          : (Reflect.get(target, key) as unknown),
    });
    const columns = Array.from({ length: count }, (__, at) => {
      return { name: `c${at}`, column_type: 'drawn', after: at === 0 ? null : `c${at - 1}` };
    });
    const types = new ColumnRegistry([{ ...drawn, schema }] as never);
    checkDataset(parseDataset(datasetOf(columns), types), { registry: types });
    return looks;
  };
  const few = looksAt(100);
  expect(few).toBeGreaterThan(100);
  expect(looksAt(200)).toBeLessThanOrEqual(2 * few);
});

test('only the first unknown names get a suggestion, since each search covers all names', { tags: 'long' }, () => {
  const columns = Array.from({ length: 1000 }, (_, at) => ({
    name: `cell${at}`,
    column_type: 'drawn',
    after: `dell${at}`,
  }));
  const types = new ColumnRegistry([drawn] as never);
  const found = checkDataset(parseDataset({ columns }, types), { registry: types });
  expect(found).toHaveLength(1000);
  expect(found.filter(({ remedy }) => remedy !== '').length).toBeLessThanOrEqual(201);
  expect(found[0]?.remedy).toMatch(/^Did you mean 'cell/);
});

const keyed = (name: string, apiKey: string | null) => ({
  name,
  endpoint: 'https://acme.test/v1',
  providerType: 'openai',
  apiKey,
  extraBody: null,
  extraHeaders: null,
});
const stdio = (env: Record<string, string>) => ({
  name: 'docs',
  providerType: 'stdio' as const,
  command: 'docs',
  args: [],
  env,
});

/** The warnings about keys of a dataset with a model and tools. */
function keyWarnings(
  { apiKey = null, env = {} }: { readonly apiKey?: string | null; readonly env?: Record<string, string> },
  environment: Readonly<Record<string, string>> = {},
): string[] {
  const document = {
    columns: [ask('a', '', { tool_alias: 'lookup' }), ask('b', '{{ a }}')],
    tool_configs: [{ tool_alias: 'lookup', providers: ['docs'] }],
  };
  const keys = {
    providers: { models: [keyed('acme', apiKey), keyed('unused', '${GONE}')], tools: [stdio(env)] },
    environment,
  };
  return check(document, { keys })
    .filter(({ type }) => type === 'missing_key')
    .map(({ level, path, message }) => `${level} ${path}: ${message}`);
}

test('a missing variable is a warning that names provider, key and variable, once per provider', () => {
  const at = "WARNING model_configs[0].provider: the model provider 'acme' takes its api_key";
  expect(keyWarnings({ apiKey: '${ACME_KEY}' })).toEqual([
    `${at} from the environment variable ACME_KEY, which is not set.`,
  ]);
  expect(keyWarnings({ apiKey: 'MY_ACME' })).toEqual([
    "WARNING model_configs[0].provider: the api_key of the model provider 'acme' is MY_ACME. No environment variable of this name is set, so the text MY_ACME is sent as the key.",
  ]);
  expect(keyWarnings({ env: { AUTH: 'Bearer ${DOCS_KEY}', PLAIN: 'x' } })).toEqual([
    "WARNING tool_configs[0].providers[0]: the MCP provider 'docs' takes its env.AUTH from the environment variable DOCS_KEY, which is not set.",
  ]);
});

/** How many warnings a run gives of an API key. */
const warned = (apiKey: string) =>
  check(
    { columns: [ask('a', '')] },
    { keys: { providers: { models: [keyed('acme', apiKey)], tools: [] }, environment: {}, onlySent: true } },
  ).filter(({ type }) => type === 'missing_key').length;

test('a run warns only of names that it would send as keys, and of no key itself', () => {
  expect(['MY_ACME', '${MY_ACME}', 'SK_LIVE_4F9A8B7C6D5E4F3A', 'EMPTY', 'none'].map(warned)).toEqual([1, 0, 0, 0, 0]);
});

test('a missing variable in a header of a model provider is a warning', () => {
  const document = { columns: [ask('a', '')] };
  const provider = { ...keyed('acme', null), extraHeaders: { 'x-team': 'team ${TEAM}', 'x-set': '${SET}' } };
  const keys = { providers: { models: [provider], tools: [] }, environment: { SET: '1' } };
  const found = check(document, { keys }).filter(({ type }) => type === 'missing_key');
  expect(found.map(({ message }) => message)).toEqual([
    "the model provider 'acme' takes its extra_headers.x-team from the environment variable TEAM, which is not set.",
  ]);
});

test('a variable that is set, and a key itself, are no warning; an empty variable is one', () => {
  expect(keyWarnings({ apiKey: '${ACME_KEY}', env: { A: '${B}' } }, { ACME_KEY: 'sk-1', B: 'x' })).toEqual([]);
  expect(keyWarnings({ apiKey: 'sk-1' })).toEqual([]);
  expect(keyWarnings({ apiKey: '${ACME_KEY}' }, { ACME_KEY: ' ' })).toHaveLength(1);
});

test('a missing key of a model or tool config of the home folder is reported at the column', () => {
  const defaultModels = [modelOfHome];
  const document = { columns: [ask('a', '', { tool_alias: 'lookup' })] };
  const parsed = parseDataset(document, registry, { defaultModels });
  const keys = {
    providers: { models: [keyed('acme', '${ACME_KEY}')], tools: [stdio({ A: '${B}' })] },
    environment: {},
  };
  const found = checkDataset(parsed, { registry, keys, knownTools: [toolsAt('docs')] });
  expect(found.filter(({ type }) => type === 'missing_key').map(({ path, column }) => [path, column])).toEqual([
    ['columns[0].model_alias', 'a'],
    ['columns[0].tool_alias', 'a'],
  ]);
});

const checkThreshold = (threshold: number) =>
  check({ columns: [draw('id')], select: { unique: [{ minhash: ['id'], threshold }] } });

test('a threshold at which MinHash would miss duplicates is refused with the share that it finds', () => {
  expect(checkThreshold(0.25)).toMatchObject([
    {
      type: 'low_recall',
      path: 'select.unique[0].threshold',
      message: 'a threshold of 0.25 would find only 85 % of the pairs that are as similar.',
      remedy: 'Use a threshold of at least 0.31.',
    },
  ]);
  expect([0.31, 0.5, 0.95, 1].flatMap(checkThreshold)).toEqual([]);
});

/** A column with this many values, or with as many as another one. */
const few = defineColumn({
  type: 'few',
  schema: z.strictObject({
    ...columnFields('few'),
    values: z.number().nullable().default(null),
    like: z.string().nullable().default(null),
  }),
  reads: ({ like }) => (like === null ? [] : [{ name: like, field: ['like'] }]),
  writes: ({ name }) => [field(name, 'utf8'), field(`${name}__more`, 'utf8')],
  choices: ({ values, like }, choicesOf) => values ?? (like === null ? undefined : choicesOf(like)),
  cell: () => () => ['', ''],
});

/** A processor that replaces rows in one of the stages. */
const replacing = defineProcessor({
  type: 'replacing',
  schema: z.strictObject({
    processorType: z.literal('replacing'),
    name: z.string(),
    when: z.enum(['pre_batch', 'post_batch', 'after_generation']),
  }),
  stage: ({ when }) => when,
  process: () => (rows) => rows,
});

const fewRegistry = new ColumnRegistry([few], { processors: [replacing] });

test.each([
  ['a', ['WARNING where_text select.where']],
  ['n', []],
  ["a == 'yes'", []],
  ["a != ''", []],
])('a selection by the text itself is warned of: %s', (where, expected) => {
  const columns = [write('a', 'x {{ n }}'), draw('n')];
  const found = check({ columns, select: { where } });
  expect(found.map(({ level, type, path }) => `${level} ${type} ${path}`)).toEqual(expected);
});

/** The types and messages of what is wrong with a selection of so many rows. */
function amounts(select: object, rows: number | undefined, columns: readonly object[]) {
  return amountsOf({ columns, select }, rows);
}

function amountsOf(document: object, rows: number | undefined) {
  const parsed = parseDataset(document, fewRegistry);
  const found = checkDataset(parsed, { registry: fewRegistry, providers, rows });
  return found.filter(({ level }) => level === 'ERROR').map(({ type, path, message }) => `${type} ${path}: ${message}`);
}

const of = (name: string, more: object) => ({ name, column_type: 'few', ...more });
const PAIR = [of('a', { values: 3 }), of('b', { values: 4 }), of('open', {})];

test('more unique rows than there can be are refused', () => {
  const [exact, both] = [{ unique: [{ exact: ['a'] }] }, { unique: [{ minhash: ['a', 'b'] }] }];
  expect(amounts(exact, 3, PAIR)).toEqual([]);
  expect(amounts(exact, 4, PAIR)).toEqual([
    "few_values select.unique[0]: the column 'a' has at most 3 different values, so no more than 3 of the 4 rows can be unique.",
  ]);
  expect(amounts(both, 12, PAIR)).toEqual([]);
  expect(amounts(both, 13, PAIR)).toEqual([
    "few_values select.unique[0]: the columns 'a', 'b' together have at most 12 different values, so no more than 12 of the 13 rows can be unique.",
  ]);
  expect(amounts({ unique: [{ exact: ['a', 'open'] }] }, 99, PAIR)).toEqual([]);
});

test('fewer candidates than rows are refused', () => {
  expect(amounts({ max_candidates: 9 }, 9, PAIR)).toEqual([]);
  expect(amounts({ max_candidates: 9 }, 10, PAIR)).toEqual([
    'few_candidates select.max_candidates: the selection generates at most 9 rows, so it cannot accept the 10 of the run.',
  ]);
});

test('a run that keeps the rows that there are, or whose number of rows is not known, is not refused', () => {
  const select = { unique: [{ exact: ['a'] }], max_candidates: 5 };
  expect(amounts(select, 9, PAIR)).toHaveLength(2);
  expect(amounts({ ...select, on_exhausted: 'keep' }, 9, PAIR)).toEqual([]);
  expect(amounts(select, undefined, PAIR)).toEqual([]);
});

const share = (max_share: number, column = 'a') => ({ balance: { column, max_share } });

test('shares that the values cannot keep are refused, whatever the number of rows', () => {
  expect(amounts(share(0.33), undefined, PAIR)).toEqual([
    "unmet_balance select.balance.max_share: the column 'a' has at most 3 different values, so a share of 0.33 for each cannot make up all rows.",
  ]);
  expect([...amounts(share(1 / 3), 9, PAIR), ...amounts(share(0.01, 'open'), 9, PAIR)]).toEqual([]);
});

test.each<[string, readonly object[], object[]?]>([
  ['is skipped', [of('a', { values: 3, ...rule('b') }), of('b', {})]],
  ['reads one that is skipped', [of('a', { values: 3, like: 'b' }), of('b', rule('c')), of('c', {})]],
  [
    'reads a side effect of one that is skipped',
    [of('a', { values: 3, like: 'b__more' }), of('b', rule('c')), of('c', {})],
  ],
  ['keeps rows whose cell failed', [of('a', { values: 3, on_failure: 'null' })]],
  ['has other values after a processor', PAIR, [{ processor_type: 'replacing', name: 'p', when: 'post_batch' }]],
  ['is made of others by a processor', PAIR, [{ processor_type: 'replacing', name: 'p', when: 'pre_batch' }]],
])('a selection by a column that %s is not refused', (_, columns, processors = []) => {
  const select = { unique: [{ exact: ['a'] }], balance: { column: 'a', max_share: 0.1 } };
  expect(amountsOf({ columns, select, processors }, 99)).toEqual([]);
});

test('a selection is refused in spite of what does not change the values of its column', () => {
  const select = { unique: [{ exact: ['a'] }] };
  const after = { processor_type: 'replacing', name: 'p', when: 'after_generation' };
  expect(amountsOf({ columns: PAIR, select, processors: [after] }, 4)).toHaveLength(1);
  const reads = [of('a', { values: 3, like: 'b', propagate_skip: false }), of('b', rule('c')), of('c', {})];
  expect(amounts(select, 4, reads)).toHaveLength(1);
});

test('the number of values in a circle of columns is not known, and is counted once for each column', () => {
  const circle = [of('a', { like: 'b' }), of('b', { like: 'a' })];
  expect(amounts({ unique: [{ exact: ['a'] }] }, 9, circle).join()).not.toContain('few_values');
});

test.each(['constructor', 'toString'])('the key %s, which every object has, is unknown and has a remedy', (key) => {
  const found = check({ columns: [draw('a', { [key]: 1 })], [key]: 1 });
  expect(found.map(({ message, remedy }) => [message, typeof remedy])).toEqual(
    found.map(() => [`unknown key '${key}'.`, 'string']),
  );
  expect(found).toHaveLength(2);
});

test('an expression with a filter or a call that fails for every row is refused, with its place', () => {
  const columns = [draw('a'), write('b', "{% if a %}{{ a | int('1', 2, 3) }}{% endif %}")];
  const found = check({ columns, select: { where: 'a and a | selectattr("b")' } });
  expect(found.map(told1).toSorted()).toEqual([
    'run ERROR template/unsupported-filter select.where',
    'run WARNING template/record columns[1].expr',
  ]);
  expect(found.find(({ path }) => path === 'select.where')?.within).toEqual({ line: 1, column: 11 });
  const conditional = check({ columns: [draw('a')], select: { where: '1 if a else 0' } });
  expect(conditional).toMatchObject([{ type: 'bare_conditional', path: 'select.where' }]);
  const skipped = [draw('a'), write('b', '{{ a }}', { skip: { when: "{{ a | int('1', 2, 3) }}" } })];
  expect(check({ columns: skipped }).map(told1)).toEqual(['run ERROR template/record columns[1].skip.when']);
});

test('a provider that several models lack is one mistake, which names their aliases', () => {
  const models = ['writer', 'judge', 'spare'].map((alias) => ({ alias, model: 'm', provider: 'ghost' }));
  const columns = [draw('a'), { name: 'b', column_type: 'told', prompt: '{{ a }}', model_alias: 'judge' }];
  const found = check({ columns, model_configs: models }).filter(({ type }) => type === 'unknown_provider');
  expect(found.map(told1)).toEqual(['run ERROR unknown_provider model_configs[1].provider']);
  expect(found[0]?.message).toBe(
    "there is no provider named 'ghost', which the models 'writer', 'judge', 'spare' need.",
  );
});

test('a column whose name templates cannot read is to be renamed, whichever way a template tries', () => {
  const rename =
    "Templates cannot read 'my col', because it is not a single word: rename the column, for example to my_col.";
  const remedies = (expr: string, more: object = {}) =>
    check({ columns: [draw('my col'), write('text', expr, more)] }).map(({ remedy }) => remedy);
  expect(remedies('{{ my_col }}')).toEqual([`Did you mean 'my col'? ${rename}`]);
  expect(remedies('{{ my col }}')).toEqual([rename]);
  expect(remedies('{{ 1 +* }}')).toEqual(['Correct the template.']);
  expect(check({ columns: [draw('my col'), draw('b', { after: 'my_col' })] })[0]?.remedy).toBe(
    "Did you mean 'my col'?",
  );
});
