import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { columnTypes } from '@data-designer/columns';
import {
  bindConfigBuilder,
  columnFields,
  type ColumnRow,
  type ColumnSetOf,
  defineColumn,
  type RowOf,
  type Message,
} from '@data-designer/config';
import { field } from '@data-designer/core';
import { type BuiltInRows, DataDesignerConfigBuilder } from './config-builder.ts';
import { DataDesigner } from '../../designer/src/data-designer.ts';

const quiz = z.object({ question: z.string(), choices: z.array(z.string()) });

function everyType() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'] })
    .addColumn({
      name: 'region',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: ['north', 'south'], weights: [2, 1] },
    })
    .addColumn({
      name: 'store',
      columnType: 'sampler',
      samplerType: 'subcategory',
      params: { category: 'region', values: { north: ['Alder', 'Birch'], south: ['Cedar'] } },
    })
    .addColumn({ name: 'label', columnType: 'expression', expr: '{{ region }}: {{ store }}' })
    .addColumn({ name: 'size', columnType: 'expression', expr: '{{ store | length }}', dtype: 'int' })
    .addColumn({
      name: 'story',
      columnType: 'llm-text',
      modelAlias: 'writer',
      prompt: 'About {{ store }}.',
      toolAlias: 'facts',
      withTrace: true,
      extractReasoningContent: true,
    })
    .addColumn({ name: 'code', columnType: 'llm-code', modelAlias: 'writer', prompt: 'x', codeLang: 'python' })
    .addColumn({ name: 'quiz', columnType: 'llm-structured', modelAlias: 'writer', prompt: 'x', outputFormat: quiz })
    .addColumn({
      name: 'grade',
      columnType: 'llm-judge',
      modelAlias: 'writer',
      prompt: 'Judge {{ story }}.',
      scores: [{ name: 'Clarity', description: 'Is it clear?', options: { '1': 'no', '2': 'yes' } }],
    })
    .addColumn({ name: 'notes', columnType: 'llm-text', modelAlias: 'writer', prompt: 'x', drop: true });
}

test('the declarations of built-in column types determine the row type', () => {
  expectTypeOf<RowOf<ReturnType<typeof everyType>>>().toEqualTypeOf<{
    region: 'north' | 'south';
    store: 'Alder' | 'Birch' | 'Cedar';
    label: string;
    size: number;
    story: string;
    story__trace: Message[];
    story__reasoning_content: string | null;
    story__state?: unknown;
    code: string;
    quiz: { question: string; choices: string[] };
    grade: { Clarity: { reasoning: string; score: '1' | '2' } };
  }>();
});

test('the compiler refuses declarations that the schemas of built-in column types refuse', () => {
  const builder = new DataDesignerConfigBuilder();
  const mixed = () =>
    builder.addColumn({
      name: 'c',
      columnType: 'sampler',
      samplerType: 'subcategory',
      // @ts-expect-error -- these are the parameters of another sampler
      params: { values: ['a'] },
    });
  const misspelt = () =>
    builder.addColumn({
      name: 'c',
      columnType: 'llm-text',
      modelAlias: 'm',
      prompt: 'x',
      // @ts-expect-error -- it is withTrace
      withTraces: true,
    });
  const language = () =>
    builder.addColumn({
      name: 'c',
      columnType: 'llm-code',
      modelAlias: 'm',
      prompt: 'x',
      // @ts-expect-error -- there is no such language
      codeLang: 'pyton',
    });
  expectTypeOf([mixed, misspelt, language]).toBeArray();
});

test('the compiler refuses unknown fields at every depth', () => {
  const builder = new DataDesignerConfigBuilder();
  const chat = { name: 'c', columnType: 'conversation', assistant: { modelAlias: 'm' } } as const;
  const judge = { name: 'j', columnType: 'llm-judge', modelAlias: 'm', prompt: 'x' } as const;
  const score = { name: 'Tone', description: 'd', options: { 1: 'x', 2: 'y' } } as const;
  const draw = { name: 'd', columnType: 'sampler', samplerType: 'category' } as const;
  const known = [
    () =>
      builder.addColumn({ ...chat, turns: { min: 1, max: 2 }, user: { modelAlias: 'm', stop: { type: 'object' } } }),
    () => builder.addColumn({ ...judge, scores: [score] }),
    () => builder.withSeedDataset({ seedType: 'df', rows: [{ a: { b: 1 } }] }),
  ];
  const unknown = [
    // @ts-expect-error -- it is systemPrompt
    () => builder.addColumn({ ...chat, turns: 1, user: { modelAlias: 'm', systmPrompt: 'x' } }),
    // @ts-expect-error -- turns have min and max
    () => builder.addColumn({ ...chat, turns: { min: 1, max: 2, mean: 1 }, user: { modelAlias: 'm' } }),
    // @ts-expect-error -- a score has no weight
    () => builder.addColumn({ ...judge, scores: [score, { ...score, weight: 1 }] }),
    // @ts-expect-error -- it is weights
    () => builder.addColumn({ ...draw, params: { values: ['a'], weigths: [1] } }),
    // @ts-expect-error -- this is a parameter of another sampler
    () => builder.addColumn({ ...draw, params: { values: ['a'], low: 1 } }),
    // @ts-expect-error -- it is value
    () => builder.addColumn({ name: 'e', columnType: 'expression', expr: 'x', skip: { when: 'y', valu: 1 } }),
    // @ts-expect-error -- it is onExhausted
    () => builder.addAttempts({ name: 'x', columns: ['a'], until: 'a', onExausted: 'null' }),
    // @ts-expect-error -- it is columnNames
    () => builder.addProcessor({ name: 'p', processorType: 'drop_columns', columnNames: ['a'], colums: ['b'] }),
    // @ts-expect-error -- a source has no glob
    () => builder.withSeedDataset({ seedType: 'local', path: 'x', glob: '*' }),
  ];
  expectTypeOf([...known, ...unknown]).toBeArray();
});

test('the compiler refuses an alias that is not among the models of the builder, wherever a column names one', () => {
  const model = { model: 'sim-small', provider: 'simulator' } as const;
  const modelConfigs = [
    { alias: 'mini', ...model },
    { alias: 'large', ...model },
  ] as const;
  const builder = new DataDesignerConfigBuilder({ modelConfigs });
  const text = { name: 't', columnType: 'llm-text', prompt: 'x' } as const;
  const chat = { name: 'c', columnType: 'conversation', turns: 2 } as const;
  const [mini, mni] = [{ modelAlias: 'mini' }, { modelAlias: 'mni' }] as const;
  const known = [
    () => builder.addColumn({ ...text, modelAlias: 'mini', fallbackModelAlias: 'large' }),
    () => builder.addColumn({ ...chat, user: mini, assistant: { modelAlias: 'large', fallbackModelAlias: 'mini' } }),
    () => builder.addModelConfig({ alias: 'mni', ...model }).addColumn({ ...text, ...mni }),
    () => builder.addProfiler({ modelAlias: 'mini' }),
  ];
  const withColumn = builder.addColumn({ ...text, ...mini });
  const withSeed = withColumn.withSeedDataset({ seedType: 'df', rows: [{ a: 1 }] });
  const block = { name: 'b', columns: ['t'], until: '{{ t }}', max: 2 } as const;
  const dropped = { name: 'p', processorType: 'drop_columns', columnNames: ['a'] } as const;
  const withSteps = withSeed.addAttempts(block).addProcessor(dropped).deleteColumn('a');
  const unknown = [
    // @ts-expect-error -- there is no model 'mni'
    () => builder.addColumn({ ...text, modelAlias: 'mni' }),
    // @ts-expect-error -- there is no model 'mni' to fall back to
    () => builder.addColumn({ ...text, modelAlias: 'mini', fallbackModelAlias: 'mni' }),
    // @ts-expect-error -- no model of this name plays the user
    () => builder.addColumn({ ...chat, user: mni, assistant: mini }),
    // @ts-expect-error -- there is no model 'mni' to fall back to
    () => builder.addColumn({ ...chat, user: mini, assistant: { modelAlias: 'large', fallbackModelAlias: 'mni' } }),
    // @ts-expect-error -- a column between keeps the aliases
    () => withColumn.addColumn({ ...text, ...mni }),
    // @ts-expect-error -- a seed between keeps the aliases
    () => withSeed.addColumn({ ...text, ...mni }),
    // @ts-expect-error -- steps between keep the aliases
    () => withSteps.addColumn({ ...text, ...mni }),
    // @ts-expect-error -- it is deleted
    () => builder.deleteModelConfig('large').addColumn({ ...text, modelAlias: 'large' }),
    // @ts-expect-error -- a profiler names a model too
    () => builder.addProfiler({ modelAlias: 'mni' }),
    // @ts-expect-error -- a model has no size
    () => new DataDesignerConfigBuilder({ modelConfigs: [{ alias: 'mini', ...model, size: 1 }] }),
  ];
  expectTypeOf([...known, ...unknown]).toBeArray();
});

test('the compiler allows any alias where it cannot know all of them', () => {
  const model = { model: 'sim-small', provider: 'simulator' } as const;
  const text = { name: 't', columnType: 'llm-text', prompt: 'x' } as const;
  const alias: string = 'named-by-a-variable';
  const builder = new DataDesignerConfigBuilder({ modelConfigs: [{ alias: 'mini', ...model }] });
  const free = [
    // The models of the home folder are there too.
    () => new DataDesignerConfigBuilder().addColumn({ ...text, modelAlias: 'any' }),
    () =>
      new DataDesignerConfigBuilder()
        .addModelConfig({ alias: 'x', ...model })
        .addColumn({ ...text, modelAlias: 'any' }),
    () => new DataDesignerConfigBuilder({ modelConfigs: [] }).addColumn({ ...text, modelAlias: 'any' }),
    () =>
      new DataDesignerConfigBuilder({ modelConfigs: builder.modelConfigs }).addColumn({ ...text, modelAlias: 'any' }),
    () => builder.addModelConfig({ alias, ...model }).addColumn({ ...text, modelAlias: 'any' }),
    () => builder.deleteModelConfig(alias).addColumn({ ...text, modelAlias: 'mini' }),
    () => builder.addColumn({ ...text, modelAlias: alias }),
    async () => (await DataDesignerConfigBuilder.fromConfig('x.yaml')).addColumn({ ...text, modelAlias: 'any' }),
  ];
  expectTypeOf(free).toBeArray();
  expectTypeOf(builder).toExtend<DataDesignerConfigBuilder>();
});

test.each(['toYaml', 'toJson'] as const)(
  'every built-in column type survives a round trip through %s',
  { tags: 'long' },
  async (print) => {
    const builder = everyType();
    const again = await DataDesignerConfigBuilder.fromConfig(builder[print]());
    expect(again.build()).toEqual(builder.build());
    expect(again.toDict()).toEqual(builder.toDict());
  },
);

test('a designer takes a builder and gives typed records', { tags: 'long' }, async () => {
  const builder = new DataDesignerConfigBuilder().addColumn({
    name: 'word',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a', 'b'] },
  });
  const results = await new DataDesigner().preview(builder, { numRecords: 5 });
  const words: ('a' | 'b')[] = [];
  for await (const { word } of results.records()) words.push(word);
  expect(words).toHaveLength(5);
  expect(['a', 'b']).toEqual(expect.arrayContaining(words));
});

const shout = defineColumn({
  type: 'test-shout',
  schema: z.strictObject({ ...columnFields('test-shout'), text: z.string() }),
  reads: () => [],
  writes: ({ name }) => [field(name, 'utf8')],
  cell:
    ({ text }) =>
    () => [text.toUpperCase()],
});

const types = [...columnTypes, shout] as const;

interface Rows<Config> extends BuiltInRows<Config> {
  'test-shout': ColumnRow<
    Config,
    Config extends { readonly text: infer Text extends string } ? Uppercase<Text> : never
  >;
}

interface Columns extends ColumnSetOf<typeof types> {
  readonly rows: Rows<this['config']>;
}

const Builder = bindConfigBuilder<Columns>(types);

test('a custom column type is typed like the built-in ones', () => {
  const builder = new Builder()
    .addColumn({ name: 'loud', columnType: 'test-shout', text: 'hey' })
    .addColumn({ name: 'label', columnType: 'expression', expr: '{{ loud }}' });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{ loud: 'HEY'; label: string }>();
  expect(builder.build().columns.map(({ name }) => name)).toEqual(['loud', 'label']);
});
