import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { type DeclarationOf, readForm, writeForm } from '@data-designer/config';
import { samplers } from '../samplers.ts';
import { samplerSchemaOf } from './sampler-schema.ts';

const samplerSchema = samplerSchemaOf(samplers);

type Declared = DeclarationOf<z.input<typeof samplerSchema>>;

function read(column: Record<string, unknown>) {
  return samplerSchema.safeParse(readForm(samplerSchema, { name: 'a', column_type: 'sampler', ...column }));
}

/** The paths of the errors in a declaration. */
function refusedAt(column: Record<string, unknown>): readonly string[] {
  return read(column).error?.issues.map(({ path }) => path.join('.')) ?? [];
}

test.each(samplers.map(({ type, example }) => [type, example] as const))(
  'the example of %s is read and written',
  (sampler_type, params) => {
    const { data, error } = read({ sampler_type, params });
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ samplerType: sampler_type, conditionalParams: {}, convertTo: null, skip: null });
    const written = writeForm(samplerSchema, data) as { params: Record<string, unknown> };
    expect(written).toMatchObject({ sampler_type, conditional_params: {}, convert_to: null, propagate_skip: true });
    expect(written.params).toHaveProperty('sampler_type', sampler_type);
    expect(samplerSchema.parse(readForm(samplerSchema, written))).toEqual(data);
  },
);

test('params and conditional params get the sampler type of their column', () => {
  const conditional = { "zone == 'inner'": { low: 2, high: 2 } };
  for (const key of ['conditional_params', 'conditionalParams']) {
    const { data } = read({ sampler_type: 'uniform', params: { low: 1, high: 1 }, [key]: conditional });
    expect(data?.params).toMatchObject({ samplerType: 'uniform', low: 1 });
    expect(data?.conditionalParams).toMatchObject({ "zone == 'inner'": { samplerType: 'uniform', low: 2 } });
  }
});

test('params with a sampler type of their own are read by that sampler', () => {
  const { data } = read({ sampler_type: 'uuid', params: { sampler_type: 'uniform', low: 0, high: 1 } });
  expect(data).toMatchObject({ samplerType: 'uuid', params: { samplerType: 'uniform', low: 0, decimalPlaces: null } });
  expect(refusedAt({ sampler_type: 'uuid', params: { sampler_type: 'uniform', prefix: 'a' } })).toContain('params.low');
});

test('an unknown sampler is reported once, at its name', () => {
  expect(refusedAt({ sampler_type: 'normal', params: { mean: 0 } })).toEqual(['samplerType']);
  expect(refusedAt({ sampler_type: 'normal', params: {}, conditional_params: { x: { y: 1 } } })).toEqual([
    'samplerType',
  ]);
  expect(refusedAt({ params: {} })).toEqual(['samplerType']);
  expect(read({ sampler_type: 'unifrom', params: {} }).error?.issues[0]?.message).toBe(
    "there is no sampler 'unifrom'; did you mean 'uniform'?",
  );
});

test.each<[Record<string, unknown>, string]>([
  [{ sampler_type: 'uuid' }, 'params'],
  [{ sampler_type: 'uuid', params: null }, 'params'],
  [{ sampler_type: 'uuid', params: { sampler_type: 'uid' } }, 'params.samplerType'],
  [{ sampler_type: 'binomial', params: { n: 3.5, p: 0.5 } }, 'params.n'],
  [{ sampler_type: 'uuid', params: {}, conditional_params: null }, 'conditionalParams'],
  [{ sampler_type: 'uuid', params: {}, conditional_params: { x: { prefix: 5 } } }, 'conditionalParams.x.prefix'],
  [{ sampler_type: 'uuid', params: {}, convert_to: 5 }, 'convertTo'],
  [{ sampler_type: 'uuid', params: {}, skip: { when: '{{ b }}' } }, 'skip'],
])('refuses %j at %s', (column, path) => {
  expect(refusedAt(column)).toEqual([path]);
});

test('the type of params depends on the sampler type', () => {
  type Uniform = Extract<Declared, { readonly samplerType: 'uniform' }>;
  expectTypeOf<'bernoulli_mixture' | 'scipy'>().toExtend<Declared['samplerType']>();
  expectTypeOf<'normal'>().not.toExtend<Declared['samplerType']>();
  expectTypeOf<{ readonly low: number; readonly high: number }>().toExtend<Uniform['params']>();
  expectTypeOf<{ readonly values: readonly ['a'] }>().not.toExtend<Uniform['params']>();
  expectTypeOf<{ readonly 'a > 1': { readonly low: 1; readonly high: 2 } }>().toExtend<Uniform['conditionalParams']>();
  expectTypeOf<Uniform['convertTo']>().toEqualTypeOf<string | null | undefined>();
});

test('every field of every sampler has a description', () => {
  for (const { schema } of samplers) {
    const shape: Record<string, z.ZodType> = schema.shape;
    expect(Object.entries(shape).filter(([, field]) => !field.description)).toEqual([]);
  }
});
