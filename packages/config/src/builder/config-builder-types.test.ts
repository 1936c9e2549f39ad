import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { Float } from '@data-designer/core';
import { columnFields, defineColumn } from '../define-column.ts';
import { bindConfigBuilder } from './bind-config-builder.ts';
import type { ColumnRow, ModelColumnRow } from './column-row.ts';
import type { ColumnSetOf } from './column-set.ts';
import type { CastValue, DrawnSubvalue, DrawnValue, JudgedValue, StructuredValue } from './column-value.ts';
import type { RowOf } from './config-builder.ts';
import type { Message } from '@data-designer/core';

const nothing = { reads: () => [], writes: () => [], cell: () => () => [] } as const;

const model = {
  prompt: z.string(),
  toolAlias: z.string().nullable().default(null),
  withTrace: z.union([z.boolean(), z.enum(['none', 'last_message', 'all_messages'])]).default('none'),
  extractReasoningContent: z.boolean().default(false),
};

const listed = z.union([z.string(), z.number(), z.custom<Float>((value) => value instanceof Float)]);

const drawn = defineColumn({
  type: 'types-drawn',
  schema: z.discriminatedUnion('samplerType', [
    z.strictObject({
      ...columnFields('types-drawn'),
      samplerType: z.literal('category'),
      params: z.strictObject({ values: z.array(listed), weights: z.array(z.number()).nullable().default(null) }),
    }),
    z.strictObject({
      ...columnFields('types-drawn'),
      samplerType: z.literal('subcategory'),
      params: z.strictObject({ category: z.string(), values: z.record(z.string(), z.array(listed)) }),
    }),
  ]),
  ...nothing,
});

const expression = defineColumn({
  type: 'types-expression',
  schema: z.strictObject({
    ...columnFields('types-expression'),
    expr: z.string(),
    dtype: z.enum(['str', 'int', 'float', 'bool']).default('str'),
  }),
  ...nothing,
});

const text = defineColumn({
  type: 'types-text',
  schema: z.strictObject({ ...columnFields('types-text'), ...model }),
  ...nothing,
});

const structured = defineColumn({
  type: 'types-structured',
  schema: z.strictObject({
    ...columnFields('types-structured'),
    ...model,
    outputFormat: z.record(z.string(), z.unknown()),
  }),
  ...nothing,
});

const score = z.strictObject({
  name: z.string(),
  description: z.string(),
  options: z.union([z.record(z.string(), z.string()), z.array(z.tuple([z.union([z.string(), z.int()]), z.string()]))]),
});

const judge = defineColumn({
  type: 'types-judge',
  schema: z.strictObject({ ...columnFields('types-judge'), ...model, scores: z.array(score) }),
  ...nothing,
});

/** A column type without a row type. */
const plain = defineColumn({
  type: 'types-plain',
  schema: z.strictObject({ ...columnFields('types-plain'), size: z.int().default(1) }),
  ...nothing,
});

const types = [drawn, expression, text, structured, judge, plain] as const;

interface Rows<Config> {
  'types-drawn': ColumnRow<Config, DrawnBy<Config>>;
  'types-expression': ColumnRow<Config, CastValue<Config>>;
  'types-text': ModelColumnRow<Config, string>;
  'types-structured': ModelColumnRow<
    Config,
    Config extends { readonly outputFormat: infer Format } ? StructuredValue<Format> : never
  >;
  'types-judge': ModelColumnRow<Config, Config extends { readonly scores: infer Scores } ? JudgedValue<Scores> : never>;
}

interface Columns extends ColumnSetOf<typeof types> {
  readonly rows: Rows<this['config']>;
}

type DrawnBy<Config> = Config extends {
  readonly samplerType: infer Type;
  readonly params: { readonly values: infer Values };
}
  ? Type extends 'category'
    ? DrawnValue<Values>
    : DrawnSubvalue<Values>
  : unknown;

const Builder = bindConfigBuilder<Columns>(types);

test('a category column has the literal types of its values', () => {
  const builder = new Builder()
    .addColumn({ name: 'word', columnType: 'types-drawn', samplerType: 'category', params: { values: ['a', 'b'] } })
    .addColumn({ name: 'number', columnType: 'types-drawn', samplerType: 'category', params: { values: [1, 2.5] } })
    .addColumn({ name: 'mixed', columnType: 'types-drawn', samplerType: 'category', params: { values: [1, 'a'] } })
    .addColumn({
      name: 'boxed',
      columnType: 'types-drawn',
      samplerType: 'category',
      params: { values: [1, new Float(2)] },
    });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    word: 'a' | 'b';
    number: 1 | 2.5;
    mixed: '1' | 'a';
    boxed: number;
  }>();
});

test('a category column takes its type from a variable that holds its values', () => {
  const values: string[] = ['a', 'b'];
  const fixed = ['x', 'y'] as const;
  const builder = new Builder()
    .addColumn({ name: 'open', columnType: 'types-drawn', samplerType: 'category', params: { values } })
    .addColumn({ name: 'fixed', columnType: 'types-drawn', samplerType: 'category', params: { values: fixed } });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{ open: string; fixed: 'x' | 'y' }>();
});

test('a subcategory column has the literal types of all lists, and numbers mixed with text become text', () => {
  const builder = new Builder()
    .addColumn({
      name: 'store',
      columnType: 'types-drawn',
      samplerType: 'subcategory',
      params: { category: 'region', values: { north: ['Alder', 'Birch'], south: ['Cedar'] } },
    })
    .addColumn({
      name: 'mixed',
      columnType: 'types-drawn',
      samplerType: 'subcategory',
      params: { category: 'region', values: { north: ['Alder', 3], south: [1] } },
    })
    .addColumn({
      name: 'numbers',
      columnType: 'types-drawn',
      samplerType: 'subcategory',
      params: { category: 'region', values: { north: [1, 2], south: [3] } },
    });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    store: 'Alder' | 'Birch' | 'Cedar';
    mixed: 'Alder' | '3' | `${number}`;
    numbers: 1 | 2 | 3;
  }>();
});

test('an expression column has the type of its dtype, or text without one', () => {
  const builder = new Builder()
    .addColumn({ name: 'plain', columnType: 'types-expression', expr: '{{ a }}' })
    .addColumn({ name: 'text', columnType: 'types-expression', expr: '{{ a }}', dtype: 'str' })
    .addColumn({ name: 'whole', columnType: 'types-expression', expr: '{{ a }}', dtype: 'int' })
    .addColumn({ name: 'part', columnType: 'types-expression', expr: '{{ a }}', dtype: 'float' })
    .addColumn({ name: 'claim', columnType: 'types-expression', expr: '{{ a }}', dtype: 'bool' });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    plain: string;
    text: string;
    whole: number;
    part: number;
    claim: boolean;
  }>();
});

test('a model column has side effects only if the config requests them', () => {
  const builder = new Builder()
    .addColumn({ name: 'bare', columnType: 'types-text', prompt: '' })
    .addColumn({
      name: 'none',
      columnType: 'types-text',
      prompt: '',
      withTrace: 'none',
      extractReasoningContent: false,
    })
    .addColumn({ name: 'whole', columnType: 'types-text', prompt: '', withTrace: true })
    .addColumn({ name: 'all', columnType: 'types-text', prompt: '', withTrace: 'all_messages' })
    .addColumn({ name: 'last', columnType: 'types-text', prompt: '', withTrace: 'last_message' })
    .addColumn({ name: 'thought', columnType: 'types-text', prompt: '', extractReasoningContent: true });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    bare: string;
    none: string;
    whole: string;
    whole__trace: Message[];
    all: string;
    all__trace: Message[];
    last: string;
    last__trace: Message[];
    thought: string;
    thought__reasoning_content: string | null;
  }>();
});

test('a column whose presence the compiler cannot determine is optional', () => {
  const asked = Math.random() > 2;
  const builder = new Builder().addColumn({
    name: 'c',
    columnType: 'types-text',
    prompt: '',
    drop: asked,
    withTrace: asked,
  });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{ c?: string; c__trace?: Message[] }>();
});

test('a structured column has the type of its zod schema, or is any mapping for a JSON Schema', () => {
  const quiz = z.object({ question: z.string(), choices: z.array(z.string()), note: z.string().nullable() });
  const builder = new Builder()
    .addColumn({ name: 'quiz', columnType: 'types-structured', prompt: '', outputFormat: quiz })
    .addColumn({ name: 'any', columnType: 'types-structured', prompt: '', outputFormat: { type: 'object' } });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    quiz: { question: string; choices: string[]; note: string | null };
    any: Record<string, unknown>;
  }>();
});

test('a judge column holds a reasoning and one of the options for each score', () => {
  const builder = new Builder().addColumn({
    name: 'grade',
    columnType: 'types-judge',
    prompt: '',
    scores: [
      { name: 'Clarity', description: '', options: { '1': 'confusing', '2': 'clear' } },
      { name: 'Tone', description: '', options: { warm: 'friendly', flat: 'neutral' } },
      {
        name: 'Depth',
        description: '',
        options: [
          [0, 'shallow'],
          [10, 'deep'],
        ],
      },
    ],
  });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{
    grade: {
      Clarity: { reasoning: string; score: '1' | '2' };
      Tone: { reasoning: string; score: 'warm' | 'flat' };
      Depth: { reasoning: string; score: 0 | 10 };
    };
  }>();
});

test('a row lacks a dropped column but keeps its side effects', () => {
  const builder = new Builder()
    .addColumn({ name: 'kept', columnType: 'types-expression', expr: 'x', drop: false })
    .addColumn({ name: 'gone', columnType: 'types-expression', expr: 'x', drop: true })
    .addColumn({ name: 'told', columnType: 'types-text', prompt: '', drop: true, withTrace: true });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{ kept: string; told__trace: Message[] }>();
});

test('a later declaration replaces an earlier one of the same name, and deleteColumn removes a column', () => {
  const again = new Builder()
    .addColumn({ name: 'a', columnType: 'types-text', prompt: '', withTrace: true })
    .addColumn({ name: 'b', columnType: 'types-text', prompt: '', withTrace: true })
    .addColumn({ name: 'a', columnType: 'types-expression', expr: 'x', dtype: 'int' });
  expectTypeOf<RowOf<typeof again>>().toEqualTypeOf<{ b: string; b__trace: Message[]; a: number }>();
  const fewer = again.deleteColumn('b');
  expectTypeOf<RowOf<typeof fewer>>().toEqualTypeOf<{ a: number }>();
});

test('a column type without a row type writes unknown', () => {
  const builder = new Builder().addColumn({ name: 'c', columnType: 'types-plain' });
  expectTypeOf<RowOf<typeof builder>>().toEqualTypeOf<{ c: unknown }>();
});

test('an empty or loaded builder allows any column and types those added later', () => {
  const empty = new Builder();
  expectTypeOf<RowOf<typeof empty>>().toEqualTypeOf<Record<string, unknown>>();
  const load = () => Builder.fromConfig('x.yaml');
  expectTypeOf<RowOf<Awaited<ReturnType<typeof load>>>>().toEqualTypeOf<Record<string, unknown>>();
  const more = async () =>
    (await load()).addColumn({ name: 'c', columnType: 'types-expression', expr: 'x', dtype: 'int' });
  expectTypeOf<RowOf<Awaited<ReturnType<typeof more>>>['c']>().toEqualTypeOf<number>();
  expectTypeOf<RowOf<Awaited<ReturnType<typeof more>>>['other']>().toEqualTypeOf<unknown>();
  const name: string = 'c';
  const unnamed = new Builder()
    .addColumn({ name: 'a', columnType: 'types-expression', expr: 'x' })
    .addColumn({ name, columnType: 'types-expression', expr: 'x', dtype: 'int' });
  expectTypeOf<RowOf<typeof unnamed>['a']>().toEqualTypeOf<string>();
});

test('the compiler rejects configs that the schemas reject', () => {
  const builder = new Builder();
  // @ts-expect-error -- there is no such column type
  const unknownType = () => builder.addColumn({ name: 'c', columnType: 'types-txt', prompt: '' });
  // @ts-expect-error -- the prompt is missing
  const missing = () => builder.addColumn({ name: 'c', columnType: 'types-text' });
  // @ts-expect-error -- an optional field is misspelt
  const misspelt = () => builder.addColumn({ name: 'c', columnType: 'types-text', prompt: '', withTrase: true });
  const mixed = () =>
    builder.addColumn({
      name: 'c',
      columnType: 'types-drawn',
      samplerType: 'subcategory',
      // @ts-expect-error -- these are the parameters of another sampler
      params: { values: ['a'] },
    });
  // @ts-expect-error -- a zod schema is allowed only in a field that takes any mapping
  const zod = () => builder.addColumn({ name: 'c', columnType: 'types-text', prompt: z.string() });
  // @ts-expect-error -- a model config has no name
  const nameless = () => builder.addModelConfig({ model: 'm', provider: 'p' });
  expectTypeOf([unknownType, missing, misspelt, mixed, zod, nameless]).toBeArray();
});
