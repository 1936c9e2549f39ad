import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { DataDesignerError, field, Float, isFailure } from '@data-designer/core';
import { columnFields, defineColumn } from '../define-column.ts';
import { scalarValue } from '../schemas/exact-value.ts';
import { bindConfigBuilder } from './bind-config-builder.ts';
import type { ColumnSetOf } from './column-set.ts';
import { ConfigBuilder } from './config-builder.ts';

/** A column that draws from a list. */
const list = defineColumn({
  type: 'builder-list',
  schema: z.strictObject({
    ...columnFields('builder-list'),
    listValues: z.array(scalarValue).min(1),
  }),
  writes: ({ name }) => [field(name, 'utf8')],
  cell: () => () => [''],
});

/** A column that calls a model; `source` names the column that it reads. */
const told = defineColumn({
  type: 'builder-told',
  schema: z.strictObject({
    ...columnFields('builder-told'),
    source: z.string().nullable().default(null),
    modelAlias: z.string(),
    toolAlias: z.string().nullable().default(null),
    withTrace: z.boolean().default(false),
    outputFormat: z.record(z.string(), z.unknown()).nullable().default(null),
  }),
  reads: ({ source }) => (source === null ? [] : [{ name: source, field: ['source'] }]),
  writes: ({ name, withTrace }) => [field(name, 'utf8'), ...(withTrace ? [field(`${name}__trace`, 'utf8')] : [])],
  requires: ({ modelAlias, toolAlias }) => ({ models: [modelAlias], tools: toolAlias === null ? [] : [toolAlias] }),
  cell: () => () => [''],
});

const types = [list, told] as const;
const Builder = bindConfigBuilder<ColumnSetOf<typeof types>>(types);

const writer = { alias: 'writer', model: 'acme-7b', provider: 'acme' } as const;
const lookup = { toolAlias: 'lookup', providers: ['docs'] } as const;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'builder-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function example() {
  return new Builder({ modelConfigs: [writer] })
    .addToolConfig(lookup)
    .addColumn({ name: 'topic', columnType: 'builder-list', listValues: ['yes', '12:30', new Float(1), 2] })
    .addColumn({
      name: 'answer',
      columnType: 'builder-told',
      source: 'topic',
      modelAlias: 'writer',
      toolAlias: 'lookup',
      withTrace: true,
    });
}

/** The lines of the error with which the attempt rejects. */
async function rejection(attempt: Promise<unknown>): Promise<string[]> {
  const failure: unknown = await attempt.catch((thrown: unknown) => thrown);
  if (failure instanceof DataDesignerError) return failure.message.split('\n');
  throw new Error('it was accepted');
}

/** The lines of the error that the attempt throws. */
function refusal(attempt: () => unknown): string[] {
  try {
    attempt();
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) return thrown.message.split('\n');
    throw thrown;
  }
  throw new Error('it was accepted');
}

test('every method that changes a builder returns the same builder', () => {
  const builder = new Builder();
  expect(builder).toBeInstanceOf(ConfigBuilder);
  expect(builder.addModelConfig(writer).addToolConfig(lookup).deleteModelConfig('writer')).toBe(builder);
  expect(builder.addColumn({ name: 'a', columnType: 'builder-list', listValues: [1] })).toBe(builder);
  expect(builder.deleteColumn('a').deleteToolConfig('lookup')).toBe(builder);
});

test('build returns the checked config with its defaults', () => {
  const { columns, modelConfigs, toolConfigs } = example().build();
  expect(columns.map(({ name, drop }) => [name, drop])).toEqual([
    ['topic', false],
    ['answer', false],
  ]);
  expect(modelConfigs[0]).toMatchObject({ ...writer, inferenceParameters: { maxParallelRequests: 4 } });
  expect(toolConfigs[0]).toMatchObject({ ...lookup, maxToolCallTurns: 5 });
});

test('build reports all mistakes at once, with camelCase paths', () => {
  const builder = new Builder()
    .addModelConfig({ ...writer, inferenceParameters: { topP: 2 } })
    .addColumn({ name: 'a', columnType: 'builder-told' } as never)
    .addColumn({ name: 'b', columnType: 'builder-told', modelAlias: 'writer', toolAlis: 'x' } as never)
    .addColumn({ name: 'c', columnType: 'builder-tld' } as never)
    .addColumn({ name: 'd' } as never);
  expect(refusal(() => builder.build())).toEqual([
    'The config builder has 7 mistakes:',
    'modelConfigs[0].inferenceParameters.topP: the value must be at most 1, but is 2. Use a value of at most 1.',
    'columns[0].modelAlias: this key is missing. Add it, with text as its value.',
    "columns[1].toolAlis: unknown key 'toolAlis'. Did you mean 'toolAlias'?",
    "columns[2].columnType: there is no column type 'builder-tld'. Did you mean 'builder-told'?",
    'columns[2].modelAlias: this key is missing. Add it, with text as its value.',
    'columns[3].columnType: the column has no columnType. Use one of: builder-list, builder-told.',
    "columns[1].toolAlias: there is no tool config with the alias 'x'. Declare it under 'toolConfigs', with the name of a tool provider.",
  ]);
});

test('build reports all unknown references and aliases at once', () => {
  const builder = example().deleteModelConfig('writer').deleteToolConfig('lookup').deleteColumn('topic');
  expect(refusal(() => builder.build())).toEqual([
    'The config builder has 3 mistakes:',
    "columns[0].source: there is no column 'topic'. None is declared.",
    "columns[0].modelAlias: there is no model config with the alias 'writer'. None is declared.",
    "columns[0].toolAlias: there is no tool config with the alias 'lookup'. Declare it under 'toolConfigs', with the name of a tool provider.",
  ]);
});

test('build rejects a builder without columns', () => {
  expect(refusal(() => new Builder().build())[1]).toMatch(/^columns: /);
});

test('the builder rejects a second model or tool config with the same alias when it is added', () => {
  expect(refusal(() => example().addModelConfig({ ...writer, model: 'other' }))).toEqual([
    'The config builder has 1 mistake:',
    "modelConfigs[1].alias: there is already a model config named 'writer'. Rename one model config.",
  ]);
  expect(refusal(() => example().addToolConfig(lookup))).toEqual([
    'The config builder has 1 mistake:',
    "toolConfigs[1].toolAlias: there is already a tool config named 'lookup'. Rename one tool config.",
  ]);
});

test('adding a column with an existing name replaces its declaration and keeps its position', () => {
  const builder = example().addColumn({ name: 'topic', columnType: 'builder-told', modelAlias: 'writer' });
  expect(builder.getColumnConfigs().map(({ name, columnType }) => [name, columnType])).toEqual([
    ['topic', 'builder-told'],
    ['answer', 'builder-told'],
  ]);
});

test('addColumn rejects a column without a name', () => {
  const nameless = { columnType: 'builder-list', listValues: [1] };
  expect(refusal(() => example().addColumn(nameless as never))[1]).toBe(
    'columns[2].name: this key is missing. Add a name; every column needs one.',
  );
});

test('build rejects two columns that write the same name', () => {
  const builder = example().addColumn({ name: 'answer__trace', columnType: 'builder-list', listValues: [1] });
  expect(refusal(() => builder.build())[1]).toBe(
    "columns[2].name: 'answer__trace' is also written by 'answer'. Rename one of the two columns.",
  );
});

test('the getters return the declarations and reject an unknown name', () => {
  const builder = example();
  expect(builder.getColumnConfig('answer')).toMatchObject({ columnType: 'builder-told', withTrace: true });
  expect(builder.getColumnsOfType('builder-list').map(({ listValues }) => listValues.length)).toEqual([4]);
  expect(builder.modelConfigs).toEqual([writer]);
  expect(builder.toolConfigs).toEqual([lookup]);
  expect(builder.getToolConfig('lookup')).toEqual(lookup);
  expect(refusal(() => builder.getColumnConfig('topik'))[1]).toBe(
    "columns: there is no column named 'topik'. Did you mean 'topic'?",
  );
});

test('allowedReferences lists the columns and their side effects', () => {
  const half = example().addColumn({ name: 'half', columnType: 'builder-told' } as never);
  expect(half.allowedReferences).toEqual(['topic', 'answer', 'answer__trace', 'half']);
});

test('later changes to a declaration do not affect the builder', () => {
  const listValues = ['a'];
  const builder = new Builder().addColumn({ name: 'a', columnType: 'builder-list', listValues });
  listValues.push('b');
  expect(builder.getColumnConfig('a')).toMatchObject({ listValues: ['a'] });
  expect(() => ((builder.getColumnConfig('a') as { name: string }).name = 'b')).toThrow(TypeError);
});

test('a zod schema becomes its JSON Schema', () => {
  const outputFormat = z.object({ answer: z.string().describe('Short.'), sure: z.boolean().optional() });
  const builder = example().addColumn({ name: 'data', columnType: 'builder-told', modelAlias: 'writer', outputFormat });
  expect(builder.toDict()).toMatchObject({
    data_designer: {
      columns: [
        {},
        {},
        {
          output_format: {
            type: 'object',
            properties: { answer: { type: 'string', description: 'Short.' }, sure: { type: 'boolean' } },
            required: ['answer'],
            additionalProperties: false,
          },
        },
      ],
    },
  });
});

test('addColumn rejects a zod schema that JSON Schema cannot express', () => {
  const outputFormat = z.object({ when: z.date() });
  const declare = () =>
    example().addColumn({ name: 'd', columnType: 'builder-told', modelAlias: 'writer', outputFormat });
  expect(refusal(declare)[1]).toMatch(
    /^columns\[2\]\.outputFormat: this zod schema cannot be converted to JSON Schema: .*date/i,
  );
});

test.each([
  ['an object', z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b)],
  ['a member', z.object({ a: z.array(z.string().refine((text) => text !== '')).optional() })],
  ['a part of a union', z.object({ a: z.union([z.number(), z.lazy(() => z.object({ b: z.int().refine(Boolean) }))]) })],
])('addColumn rejects a zod schema whose refine would check no answer: %s', (_, outputFormat) => {
  const declare = () =>
    example().addColumn({ name: 'd', columnType: 'builder-told', modelAlias: 'writer', outputFormat });
  expect(refusal(declare)[1]).toMatch(/^columns\[2\]\.outputFormat: this zod schema has a refine\(\)/);
});

test('a zod schema with the checks of zod alone is taken', () => {
  const node: z.ZodType = z.lazy(() => z.object({ next: node.optional() }));
  const outputFormat = z.object({ a: z.string().min(1).regex(/a/), b: z.email(), c: z.int().max(3), d: node });
  expect(() =>
    example().addColumn({ name: 'd', columnType: 'builder-told', modelAlias: 'writer', outputFormat }),
  ).not.toThrow();
});

test.each(['yaml', 'yml', 'json'])('a written .%s file loads as the same config', async (suffix) => {
  const path = join(folder, `config.${suffix}`);
  const builder = example();
  builder.writeConfig(path);
  expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([]);
  const loaded = await Builder.fromConfig(path);
  expect(loaded.build()).toEqual(builder.build());
  expect(loaded.toDict()).toEqual(builder.toDict());
  expect(loaded.source).toBe(path);
});

test.each([
  ['YAML text', () => example().toYaml()],
  ['JSON text', () => example().toJson()],
  ['a mapping with snake_case keys', () => example().toDict()],
  ['a mapping with camelCase keys', () => example().document as object],
  ['the result of build', () => example().build()],
])('fromConfig loads %s as the same config', async (_, source) => {
  expect((await Builder.fromConfig(source())).build()).toEqual(example().build());
});

test('the YAML has sorted snake_case keys and quotes text that would read as another type', () => {
  expect(example().toYaml()).toContain(`  columns:
  - column_type: builder-list
    drop: false
    list_values:
    - 'yes'
    - '12:30'
    - 1.0
    - 2
    name: topic
    propagate_skip: true
    skip: null
`);
});

test('a loaded builder accepts more columns', async () => {
  const builder = (await Builder.fromConfig(example().toDict())).addColumn({
    name: 'more',
    columnType: 'builder-told',
    source: 'answer',
    modelAlias: 'writer',
  });
  expect(builder.build().columns.map(({ name }) => name)).toEqual(['topic', 'answer', 'more']);
});

test('fromConfig reports all mistakes of a file at once, with its path and its snake_case keys', async () => {
  const path = join(folder, 'wrong.yaml');
  writeFileSync(
    path,
    'columns:\n- {name: a, column_type: builder-told}\n- {name: b, column_type: builder-list, list_value: []}\n',
  );
  expect(await rejection(Builder.fromConfig(path))).toEqual([
    `${path} has 2 mistakes:`,
    `${path}:2:3: columns[0].model_alias: this key is missing. Add it, with text as its value.`,
    '  1 | columns:',
    '> 2 | - {name: a, column_type: builder-told}',
    '    |   ^',
    `${path}:3:40: columns[1].list_value: unknown key 'list_value'. Did you mean 'list_values'?`,
    '  2 | - {name: a, column_type: builder-told}',
    '> 3 | - {name: b, column_type: builder-list, list_value: []}',
    `    | ${' '.repeat(39)}^`,
  ]);
});

const PLACED = `data_designer:
  model_configs: [{ alias: writer, model: acme-7b, provider: acme }]
  columns:
  - { name: a, column_type: builder-list, list_values: [1] }
  - { name: a, column_type: builder-list, list_values: [2] }
  - { name: b, column_type: builder-told, source: ghost, model_alias: wrter, tool_alias: lookup }
  tool_configs: [{ tool_alias: lookup, providers: [docs], allow_tools: [] }]
  constraints: [{ target_column: c, operator: lt, rhs: 1 }]
`;

/** The mistakes of a builder, with their places. */
function mistakesIn(builder: { readonly build: () => unknown }): string[] {
  try {
    builder.build();
  } catch (thrown) {
    if (!isFailure(thrown, 'config/invalid')) throw thrown;
    return thrown.data.violations.map(
      ({ file, position, path }) => `${file}:${position?.line}:${position?.column} ${path}`,
    );
  }
  throw new Error('it was accepted');
}

test.each([
  ['YAML text', () => PLACED, 'the given text'],
  [
    'a file',
    () => {
      const path = join(folder, 'placed.yaml');
      writeFileSync(path, PLACED);
      return path;
    },
    'placed.yaml',
  ],
])('mistakes that a builder finds later name their places in %s', async (_, source, file) => {
  const builder = await Builder.fromConfig(source());
  const found = mistakesIn(builder).map((place) => place.replace(`${folder}/`, ''));
  expect(found).toEqual([
    `${file}:6:43 columns[1].source`,
    `${file}:6:58 columns[1].modelAlias`,
    `${file}:7:59 toolConfigs[0].allowTools`,
    `${file}:8:19 constraints[0].targetColumn`,
  ]);
});

test('mistakes in JSON text name their places; those of a column that the program adds have none', async () => {
  const text = JSON.stringify({ columns: [{ name: 'a', column_type: 'builder-list', list_values: 5 }] }, null, 1);
  expect(await rejection(Builder.fromConfig(text))).toContainEqual(
    expect.stringMatching(/^the given text:6:4: columns\[0\]\.list_values: /),
  );
  const builder = await Builder.fromConfig('{"columns": []}');
  builder.addColumn({ name: 'b', columnType: 'builder-told', source: 'ghost', modelAlias: 'writer' });
  expect(mistakesIn(builder)).toEqual([
    'undefined:undefined:undefined columns[0].source',
    'undefined:undefined:undefined columns[0].modelAlias',
  ]);
});

const listed = (name: string, value: number) => ({ name, column_type: 'builder-list', list_values: [value] });

test('of two columns with the same name in a file, the later one takes the position of the first', async () => {
  const builder = await Builder.fromConfig({ columns: [listed('a', 1), listed('b', 2), listed('a', 3)] });
  expect(builder.getColumnConfigs()).toMatchObject([
    { name: 'a', listValues: [3] },
    { name: 'b', listValues: [2] },
  ]);
});

test('calls to the builder can complete an incomplete config', async () => {
  const half = { columns: [{ name: 'a', column_type: 'builder-told', source: 'b', model_alias: 'writer' }] };
  const whole = (await Builder.fromConfig(half))
    .addModelConfig(writer)
    .addColumn({ name: 'b', columnType: 'builder-list', listValues: [1] });
  expect(whole.build().columns).toHaveLength(2);
});

test.each([
  ['missing.yaml', /missing\.yaml: there is no such file/],
  ['missing.json', /missing\.json: there is no such file/],
  ['no-suffix', /no-suffix: there is no such file/],
  ['https://127.0.0.1/config.yaml', /127\.0\.0\.1/],
  ['- a\n- b\n', /the given config: it must be a mapping/],
  ['{"columns": ', /the given text:1:13: /],
  ['', /it is empty/],
])('fromConfig says why it cannot load %j', async (source, reason) => {
  expect((await rejection(Builder.fromConfig(source))).join('\n')).toMatch(reason);
});

test('writeConfig rejects an unknown file suffix before it writes anything', () => {
  expect(refusal(() => example().writeConfig(join(folder, 'config.toml')))[1]).toMatch(
    /config\.toml: a config file cannot end in '\.toml'\. Use \.yaml, \.yml, \.json\.$/,
  );
  expect(readdirSync(folder)).not.toContain('config.toml');
});

test('writeConfig reports a missing folder, replaces a file, and leaves nothing behind on failure', () => {
  expect(refusal(() => example().writeConfig(join(folder, 'absent', 'config.yaml')))[0]).toMatch(/no such folder/);
  const taken = mkdtempSync(join(folder, 'taken.yaml'));
  const path = `${taken}.yaml`;
  writeFileSync(path, 'before');
  chmodSync(path, 0o600);
  example().writeConfig(path);
  expect(readFileSync(path, 'utf8')).toBe(example().toYaml());
  const before = readdirSync(folder);
  const wrong = new Builder().addColumn({ name: 'a', columnType: 'builder-list', listValues: [] });
  expect(refusal(() => wrong.writeConfig(join(folder, 'never.yaml')))).not.toEqual([]);
  expect(readdirSync(folder)).toEqual(before);
});

test('a misspelt key of a seed source is an error in code, and a warning in a file, which Python would load', () => {
  const source = { seedType: 'df', rows: [{ a: 1 }], rws: 1, filePatern: 'x' } as const;
  const builder = example().withSeedDataset(source as never);
  const mistake = { type: 'unknown_key', path: 'seedConfig.source.rws', remedy: "Remove it: 'rows' is given already." };
  const isRefused = (thrown: unknown): boolean => {
    if (!isFailure(thrown, 'config/invalid')) throw thrown;
    expect(thrown.data.violations).toContainEqual(expect.objectContaining({ ...mistake, level: 'ERROR' }));
    return true;
  };
  expect(() => builder.build()).toThrow(expect.toSatisfy(isRefused));
});

test('a column with a key that stands for none causes no mistake in a column that reads its trace', () => {
  const first = { name: 'first', columnType: 'builder-told', modelAlias: 'writer', keep: true };
  const second = { name: 'second', columnType: 'builder-told', modelAlias: 'writer', source: 'first__trace' };
  const builder = example()
    .addColumn(first as never)
    .addColumn(second as never);
  expect(refusal(() => builder.build())).toEqual([
    'The config builder has 1 mistake:',
    expect.stringContaining("unknown key 'keep'"),
  ]);
});
