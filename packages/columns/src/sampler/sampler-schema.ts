import { z } from 'zod';
import { given, isGiven, isMapping, type Mapping, readsAs, sourceColumnFields } from '@data-designer/config';
import { oneOf } from '../samplers/one-of.ts';
import type { AnySampler } from '../define-sampler.ts';

/** The declaration of a column of one sampler. */
type Variant<Schema extends z.ZodObject> = z.ZodObject<
  ReturnType<typeof sourceColumnFields<'sampler'>> & {
    samplerType: z.ZodLiteral<NonNullable<z.input<Schema>['samplerType']> & string>;
    params: Schema;
    conditionalParams: z.ZodDefault<z.ZodRecord<z.ZodString, Schema>>;
    convertTo: z.ZodDefault<z.ZodNullable<z.ZodString>>;
  },
  z.core.$strict
>;

/** The declarations of columns of some samplers, distinguished by `samplerType`, for the compiler. */
export type SamplerSchema<Samplers extends readonly { readonly schema: z.ZodObject }[]> = z.ZodDiscriminatedUnion<
  Variants<Samplers>,
  'samplerType'
>;

type Variants<Samplers extends readonly { readonly schema: z.ZodObject }[]> = {
  -readonly [Index in keyof Samplers]: Variant<Samplers[Index]['schema']>;
};

/** The schema of a sampler column: for the compiler one variant per sampler, at run time one schema for all. */
export function samplerSchemaOf<const Samplers extends readonly AnySampler[]>(
  samplers: Samplers,
): SamplerSchema<Samplers> {
  const names = samplers.map(({ type }) => type);
  // As in the reference tool, parameters may name another sampler than the column; checkSampler reports it.
  const anyParams = z.discriminatedUnion(
    'samplerType',
    samplers.map(({ schema }) => schema) as unknown as [z.ZodObject, ...z.ZodObject[]],
  );
  const anySampler = z.strictObject({
    ...sourceColumnFields('sampler'),
    samplerType: oneOf(names, 'sampler').describe('The sampler that draws the values.'),
    params: anyParams.describe('The parameters of the sampler.'),
    conditionalParams: z
      .record(z.string(), anyParams)
      .default({})
      .describe(
        'Other parameters for some rows, by condition. A condition is an expression over sampler columns without braces, such as `plan == "business"`; if several conditions are true, the last one applies.',
      ),
    convertTo: z
      .string()
      .nullable()
      .default(null)
      .describe('The type to convert values to: `int`, `float` or `str`; for times a format such as `%Y-%m-%d`.'),
  });
  return readsAs(anySampler.describe('Draws values without a model.'), (column) =>
    withTags(column, names),
  ) as unknown as SamplerSchema<Samplers>;
}

/** Adds the column's sampler type to parameters that name none. */
function withTags(column: Mapping, names: readonly string[]): Mapping {
  const samplerType = given(column, 'samplerType');
  const isKnown = names.some((name) => name === samplerType);
  // Unknown sampler type: report only the type, not its parameters.
  const tag = (params: Mapping): Mapping => (isKnown ? { ...params, samplerType } : { samplerType: 'uuid' });
  const tagged = (params: unknown): unknown =>
    !isMapping(params) || isGiven(params, 'samplerType') ? params : tag(params);
  const filled = Object.entries(column).map(([key, value]): [string, unknown] => {
    if (key === 'params') return [key, tagged(value)];
    const conditional = (key === 'conditionalParams' || key === 'conditional_params') && isMapping(value);
    return [key, conditional ? mapValues(value, tagged) : value];
  });
  return Object.fromEntries(filled);
}

function mapValues(mapping: Mapping, change: (value: unknown) => unknown): Mapping {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(value)]));
}
