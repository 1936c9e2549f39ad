import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { customColumn, type MadeUpPerson, samplers } from '@data-designer/columns';
import { readHome, type RowOf, type Message } from '@data-designer/config';
import { DataDesignerConfigBuilder } from './config-builder.ts';
import { DataDesigner } from '../../designer/src/data-designer.ts';

const uniform = { columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 9 } } as const;

test('the type of a sampler column follows from its parameters, conversion and conditions', () => {
  const category = { columnType: 'sampler', samplerType: 'category', params: { values: ['1', '2'] } } as const;
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {}, convertTo: 'int' })
    .addColumn({ name: 'when', columnType: 'sampler', samplerType: 'datetime', params: { start: '2024', end: '2025' } })
    .addColumn({ name: 'flag', columnType: 'sampler', samplerType: 'bernoulli', params: { p: 0.5 } })
    .addColumn({ name: 'size', ...uniform, params: { low: 0, high: 9, decimalPlaces: 2 } })
    .addColumn({ name: 'rounded', ...uniform, convertTo: 'int' })
    .addColumn({ name: 'text', ...uniform, convertTo: 'str' })
    .addColumn({ name: 'kind', ...category })
    .addColumn({ name: 'number', ...category, convertTo: 'float' })
    .addColumn({ name: 'varied', ...category, conditionalParams: { 'size > 3': { values: ['3'] } } })
    .addColumn({ name: 'buyer', columnType: 'sampler', samplerType: 'person_from_faker', params: {} });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    id: string;
    when: string;
    flag: 0 | 1;
    size: number;
    rounded: number;
    text: string;
    kind: '1' | '2';
    number: number;
    varied: string;
    buyer: MadeUpPerson;
  }>();
});

test('the compiler finds an unknown key in conditional parameters, as in parameters', () => {
  const category = { columnType: 'sampler', samplerType: 'category', params: { values: ['1', '2'] } } as const;
  const builder = new DataDesignerConfigBuilder();
  const known = { x: { values: ['3'], weights: [1] } };
  expect(builder.addColumn({ name: 'a', ...category, conditionalParams: known }).getColumnConfig('a')).toMatchObject({
    conditionalParams: known,
  });
  // @ts-expect-error: weigths is no parameter
  builder.addColumn({ name: 'b', ...category, conditionalParams: { x: { values: ['3'], weigths: [1] } } });
});

test('the verdict of an execution has its members, for each of several programs', () => {
  const check = { columnType: 'validation', validatorType: 'execution' } as const;
  const params = { language: 'javascript', tests: 'f()' } as const;
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'one', ...check, targetColumns: ['a'], validatorParams: params })
    .addColumn({ name: 'two', ...check, targetColumns: ['a', 'b'], validatorParams: params });
  type Checked = RowOf<typeof builder>;
  expectTypeOf<Checked['one']['seconds']>().toEqualTypeOf<number | null>();
  expectTypeOf<Checked['one']['tests'][number]['passed']>().toEqualTypeOf<boolean>();
  expectTypeOf<Checked['two']['a']['failure']>().toEqualTypeOf<
    'exception' | 'timeout' | 'memory' | 'output' | 'wrong' | null
  >();
});

test('bytes of rows in memory are text in the rows of the dataset, at any depth', () => {
  const bytes = Uint8Array.of(1);
  const rows = [{ raw: bytes, files: [{ bytes, path: 'a', at: new Date(0) }], size: 1 as number | null }];
  const builder = new DataDesignerConfigBuilder().withSeedDataset({ seedType: 'df', rows });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    raw: string;
    files: { bytes: string; path: string; at: Date }[];
    size: number | null;
  }>();
});

test('the compiler refuses parameters of another sampler in conditions', () => {
  const builder = new DataDesignerConfigBuilder();
  const wrong = () =>
    builder.addColumn({
      name: 'a',
      ...uniform,
      // @ts-expect-error -- these are the parameters of a gaussian
      conditionalParams: { 'b > 1': { mean: 0, stddev: 1 } },
    });
  expectTypeOf(wrong).toBeFunction();
});

test('rows in memory determine the row type, and so does a declared type', () => {
  const tickets = [{ subject: 'No light', open: true, age: 3 }];
  const memory = new DataDesignerConfigBuilder().withSeedDataset({ seedType: 'df', rows: tickets }).addColumn({
    name: 'shout',
    columnType: 'expression',
    expr: '{{ subject }}!',
  });
  expectTypeOf<RowOf<typeof memory>>().toEqualTypeOf<{ subject: string; open: boolean; age: number; shout: string }>();
  const file = new DataDesignerConfigBuilder().withSeedDataset<{ subject: string }>(
    { seedType: 'local', path: 'tickets.csv' },
    { samplingStrategy: 'shuffle', selectionStrategy: { index: 0, numPartitions: 2 } },
  );
  expectTypeOf<RowOf<typeof file>>().toEqualTypeOf<{ subject: string }>();
  expect(file.getSeedConfig()).toEqual({
    source: { seedType: 'local', path: 'tickets.csv' },
    samplingStrategy: 'shuffle',
    selectionStrategy: { index: 0, numPartitions: 2 },
  });
  expect(() => memory.toYaml()).toThrow(/rows in memory cannot be written/);
  expect(() => memory.addColumn({ name: 'x', columnType: 'expression', expr: '{{ subjekt }}' }).build()).toThrow(
    /no column 'subjekt'. Did you mean 'subject'/,
  );
});

test('columns dropped by a flag or by a processor are not in the row type', () => {
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'a', ...uniform })
    .addColumn({ name: 'b', ...uniform, drop: true })
    .addColumn({ name: 'scratch_one', ...uniform })
    .addColumn({ name: 'note', columnType: 'llm-text', modelAlias: 'm', prompt: 'x', withTrace: true });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    a: number;
    scratch_one: number;
    note: string;
    note__trace: Message[];
  }>();
  const tidy = builder.addProcessor({
    name: 'tidy',
    processorType: 'drop_columns',
    columnNames: ['note', 'scratch_*'],
  });
  expectTypeOf<RowOf<typeof tidy>>().toEqualTypeOf<{ a: number; note__trace: Message[] }>();
  const shaped = tidy.addProcessor({ name: 'shape', processorType: 'schema_transform', template: { x: '{{ a }}' } });
  expectTypeOf<RowOf<typeof shaped>>().toEqualTypeOf<RowOf<typeof tidy>>();
});

test('a column whose failed or skipped cells are null has null in its type, side effects included', () => {
  const ask = { columnType: 'llm-text', modelAlias: 'm', prompt: 'x' } as const;
  const shape = z.object({ title: z.string() });
  const wide = 'null' as 'null' | 'drop_row';
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'a', ...ask, withTrace: true, onFailure: 'null' })
    .addColumn({ name: 'b', ...ask, onFailure: 'drop_row', withTrace: true })
    .addColumn({ name: 'c', ...ask, onFailure: 'abort' })
    .addColumn({ name: 'd', ...ask, columnType: 'llm-structured', outputFormat: shape, onFailure: null })
    .addColumn({ name: 'e', columnType: 'expression', expr: '1', dtype: 'int', onFailure: wide })
    .addColumn({ name: 'f', ...ask, onFailure: 'null', drop: true })
    .addColumn({ name: 'g', ...ask, skip: { when: '{{ a }}', value: 'none' } })
    .addColumn({ name: 'h', ...ask, skip: null });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    a: string | null;
    a__trace: Message[] | null;
    b: string;
    b__trace: Message[];
    c: string;
    d: { title: string } | null;
    e: number | null;
    g: string | null;
    h: string;
  }>();
  const dropped = new DataDesignerConfigBuilder().addColumn({ name: 'f', ...ask, onFailure: 'null', drop: true });
  expectTypeOf<RowOf<typeof dropped>>().toEqualTypeOf<Record<string, unknown>>();
});

test('a schema of any library that gives JSON Schemas types a structured answer', () => {
  const shape = z.object({ title: z.string() });
  const foreign = {
    '~standard': {
      vendor: 'acme',
      version: 1,
      types: shape['~standard'].types,
      jsonSchema: shape['~standard'].jsonSchema,
    },
  } as const;
  const plain = { type: 'object', properties: { title: { type: 'string' } } } as const;
  const ask = { columnType: 'llm-structured', modelAlias: 'writer', prompt: 'x' } as const;
  const builder = new DataDesignerConfigBuilder({
    modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
  })
    .addColumn({ name: 'own', ...ask, outputFormat: shape })
    .addColumn({ name: 'other', ...ask, outputFormat: foreign })
    .addColumn({ name: 'json', ...ask, outputFormat: plain });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    own: { title: string };
    other: { title: string };
    json: Record<string, unknown>;
  }>();
  const { columns } = builder.build();
  expect(columns.slice(0, 2).map((column) => (column as { outputFormat?: unknown }).outputFormat)).toMatchObject([
    { properties: { title: { type: 'string' } }, required: ['title'] },
    { properties: { title: { type: 'string' } }, required: ['title'] },
  ]);
});

test('a schema whose library gives no JSON Schema is refused with the remedy', () => {
  const mute = { '~standard': { vendor: 'acme', version: 1, validate: () => ({ value: 1 }) } };
  const add = () =>
    new DataDesignerConfigBuilder().addColumn({
      name: 'a',
      columnType: 'llm-structured',
      modelAlias: 'm',
      prompt: 'x',
      outputFormat: mute,
    });
  expect(add).toThrow(/acme schema cannot be converted to JSON Schema.*write the JSON Schema yourself/s);
});

test('constraints, processors and profilers are added and listed, and constraints deleted', () => {
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'a', ...uniform })
    .addConstraint({ targetColumn: 'a', operator: 'gt', rhs: 1 })
    .addConstraint({ constraintType: 'column_inequality', targetColumn: 'a', operator: 'lt', rhs: 'b' })
    .addProcessor({ name: 'tidy', processorType: 'drop_columns', columnNames: ['a'] })
    .addProcessor({ name: 'shape', processorType: 'schema_transform', template: { x: '{{ a }}' } })
    .addProcessor({ name: 'tidy', processorType: 'drop_columns', columnNames: ['b'] })
    .addProfiler({ modelAlias: 'judge' });
  expect(builder.getConstraints('a')).toHaveLength(2);
  expect(builder.deleteConstraints('a').getConstraints('a')).toEqual([]);
  expect(builder.getProcessorConfigs().map(({ name }) => name)).toEqual(['shape', 'tidy']);
  expect(builder.getProfilers()).toEqual([{ modelAlias: 'judge' }]);
  expect(builder.numColumnsOfType('sampler')).toBe(1);
  expect(builder.getColumnsExcludingType('sampler')).toEqual([]);
});

test('a builder without models has those of the home folder, as in Python', () => {
  const builder = new DataDesignerConfigBuilder();
  expect(builder.modelConfigs.map(({ alias }) => alias)).toContain('openai-text');
  expect(builder.modelConfigs).toHaveLength(12);
  expect(builder.addModelConfig({ alias: 'own', model: 'm', provider: 'vllm' }).modelConfigs).toHaveLength(13);
});

test('writing for the Python tool refuses features that it does not have, by path', () => {
  const builder = new DataDesignerConfigBuilder({
    modelConfigs: [{ alias: 'judge', model: 'm', provider: 'vllm' }],
  }).addColumn({
    name: 'grade',
    columnType: 'llm-judge',
    modelAlias: 'judge',
    prompt: 'Judge {{ range | jsonpath("$.x") }}',
    scores: [
      {
        name: 'Good',
        description: 'Is it?',
        options: [
          [1, 'no'],
          [2, 'yes'],
        ],
      },
    ],
  });
  expect(() => builder.toYaml()).not.toThrow();
  const own = new DataDesignerConfigBuilder()
    .addColumn({ name: 'a', ...uniform })
    .addProcessor({ name: 's', processorType: 'schema_transform', template: { options: ['{{ a }}'] } });
  expect(() => own.toYaml({ for: 'python' })).not.toThrow();
  expect(() => builder.toYaml({ for: 'python' })).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /columns\[0\]\.scores\[0\]\.options: .*\n.*columns\[0\]\.prompt: .*jsonpath/,
      ) as string,
    }),
  );
});

test('info shows the samplers with their parameters, and the models', () => {
  const builder = new DataDesignerConfigBuilder({
    modelConfigs: [
      {
        alias: 'writer',
        model: 'm',
        provider: 'vllm',
        inferenceParameters: { temperature: 0.5, topP: { params: { low: 0, high: 1 } } as never },
      },
    ],
  }).addColumn({ name: 'a', ...uniform });
  const uniformTable = builder.info.display('samplers', { samplerType: 'uniform' });
  expect(uniformTable).toMatch(/^uniform\n {2}low +number +required +\S.*\n {2}high +number +required/);
  expect(uniformTable).toMatch(/decimal_places +integer \| null +default null/);
  expect(builder.info.display('samplers').match(/^\S+$/gm)).toEqual(samplers.map(({ type }) => type));
  expect(builder.info.display('model_configs')).toMatch(/^writer +m +vllm +temperature=0.5, topP=/);
  expect(String(builder)).toBe('DataDesignerConfigBuilder(sampler: a)');
});

test('a file and the builder loaded from it have the same fingerprint, and its saved config the same identity', async () => {
  const document = {
    columns: [
      {
        name: 'a',
        column_type: 'sampler',
        sampler_type: 'category',
        params: { values: ['x', 'y', 'z'], weights: [9, 4, 6] },
      },
    ],
  };
  const designer = new DataDesigner();
  const builder = await DataDesignerConfigBuilder.fromConfig(document);
  const report = await designer.check({ document, source: 'the test' });
  expect(builder.fingerprint()).toBe(report.fingerprint);
  const first = await designer.validate(builder);
  const again = await designer.validate({ document: builder.toDict(), source: 'the test' });
  expect(again.identity).toBe(first.identity);
});

test('the builder keeps the later of two models with the same alias in a file', async () => {
  const model = { alias: 'm', provider: 'simulator' };
  const builder = await DataDesignerConfigBuilder.fromConfig({
    columns: [],
    model_configs: ['a', 'b'].map((name) => ({ ...model, model: name })),
  });
  expect(builder.modelConfigs.map((config) => config.model)).toEqual(['b']);
});

test('a builder without models takes those of the designer', async () => {
  const home = { ...readHome(), models: [] };
  const ask = { name: 'a', columnType: 'llm-text', modelAlias: 'openai-text', prompt: 'x' } as const;
  const report = await new DataDesigner({ home }).check(new DataDesignerConfigBuilder().addColumn(ask));
  expect(report.violations.map(({ type }) => type)).toContain('unknown_model_alias');
});

test('a value that contains itself cannot be declared', () => {
  const circle: Record<string, unknown> = { type: 'object' };
  circle.properties = circle;
  const add = () =>
    new DataDesignerConfigBuilder().addColumn({
      name: 'a',
      columnType: 'llm-structured',
      modelAlias: 'm',
      prompt: 'x',
      outputFormat: circle,
    });
  expect(add).toThrow(/nested more than 200 levels/);
});

test('the row type of a conversation has its messages, its end and its turns', () => {
  const asked = {
    columnType: 'conversation',
    turns: { min: 1, max: 3 },
    user: { modelAlias: 'a', systemPrompt: 'You ask.', stop: '[DONE]' },
    assistant: { modelAlias: 'a' },
  } as const;
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'chat', ...asked })
    .addColumn({ name: 'talk', ...asked, withTrace: true, onFailure: 'null' });
  type End = 'stop' | 'max_turns' | 'user_gave_up' | 'length';
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    chat: readonly Message[];
    chat__end: End;
    chat__turns: number;
    talk: readonly Message[] | null;
    talk__end: End | null;
    talk__turns: number | null;
    talk__user_trace: readonly Message[] | null;
  }>();
  const again = builder.addColumn({ name: 'talk', ...asked });
  expectTypeOf<keyof RowOf<typeof again>>().toEqualTypeOf<
    'chat' | 'chat__end' | 'chat__turns' | 'talk' | 'talk__end' | 'talk__turns'
  >();
  const wrong = () =>
    // @ts-expect-error -- an assistant has a model
    builder.addColumn({ name: 'more', ...asked, assistant: { systemPrompt: 'You answer.' } });
  expectTypeOf(wrong).toBeFunction();
});

test('a column with tools has a state if its tools belong to an environment, and attempts keep it', () => {
  const model = { modelAlias: 'm', prompt: 'x' } as const;
  const person = { modelAlias: 'm', systemPrompt: 'You ask.' } as const;
  const tooled = customColumn({ toolAliases: ['bank'], generate: () => ({ code: 1 }) });
  const plain = customColumn({ generate: () => ({ alone: 1 }) });
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'text', columnType: 'llm-text', ...model })
    .addColumn({ name: 'done', columnType: 'llm-text', ...model, toolAlias: 'bank' })
    .addColumn({ name: 'told', columnType: 'llm-text', ...model, toolAlias: 'bank', drop: true })
    .addColumn({ name: 'truth', columnType: 'tool-calls', toolAlias: 'bank', calls: '[]' })
    .addColumn({
      name: 'chat',
      columnType: 'conversation',
      turns: 1,
      user: { ...person, toolAlias: 'b' },
      assistant: person,
    })
    .addColumn({ name: 'code', columnType: 'custom', generatorFunction: tooled })
    .addColumn({ name: 'alone', columnType: 'custom', generatorFunction: plain });
  type Keys = keyof RowOf<typeof builder>;
  expectTypeOf<Extract<Keys, `${string}__state`>>().toEqualTypeOf<
    'done__state' | 'told__state' | 'truth__state' | 'chat__state' | 'code__state'
  >();
  expectTypeOf<Pick<RowOf<typeof builder>, 'done' | 'done__state'>>().toEqualTypeOf<{
    done: string;
    done__state?: unknown;
  }>();
  const tried = builder.addAttempts({ name: 'solve', columns: ['done'], max: 2, keep: 'all' });
  expectTypeOf<RowOf<typeof tried>['solve__all'][number]>().toEqualTypeOf<{ done: string; done__state?: unknown }>();
  const without = builder.deleteColumn('done');
  expectTypeOf<Extract<keyof RowOf<typeof without>, `done${string}`>>().toBeNever();
});
