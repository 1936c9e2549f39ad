import { given, isGiven, isMapping, type Mapping, readsAs, sourceColumnFields } from '@data-designer/config';
import { z } from 'zod';
import { samplers } from '../samplers.ts';
import { oneOf } from '../samplers/one-of.ts';

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

type Variants<Samplers extends readonly { readonly schema: z.ZodObject }[]> = {
  -readonly [Index in keyof Samplers]: Variant<Samplers[Index]['schema']>;
};

const names = samplers.map(({ type }) => type) as [string, ...string[]];

/** Parameters choose their sampler themselves, as in the reference tool; whether it is the column's is checked later. */
const anyParams = z.discriminatedUnion(
  'samplerType',
  samplers.map(({ schema }) => schema) as unknown as [z.ZodObject, ...z.ZodObject[]],
);

const anySampler = z.strictObject({
  ...sourceColumnFields('sampler'),
  samplerType: oneOf(names, 'sampler').describe('How values are drawn.'),
  params: anyParams.describe('Parameters of the draw.'),
  conditionalParams: z
    .record(z.string(), anyParams)
    .default({})
    .describe('By condition, an expression without braces over sampler columns: the parameters where it holds.'),
  convertTo: z
    .string()
    .nullable()
    .default(null)
    .describe('What values are turned into: int, float or str, or for times a format such as %Y-%m-%d.'),
});

/**
 * The declaration of a sampler column. To the compiler it is one shape for each sampler, so that its parameters are
 * typed; to run, one shape whose parameters may also be of another sampler.
 */
export const samplerSchema = readsAs(anySampler, withTags) as unknown as z.ZodDiscriminatedUnion<
  Variants<typeof samplers>,
  'samplerType'
>;

/** Gives parameters that do not name their sampler the column's. */
function withTags(column: Mapping): Mapping {
  const samplerType = given(column, 'samplerType');
  const tagged = (params: unknown): unknown =>
    !isMapping(params) || isGiven(params, 'samplerType') ? params : tag(params, samplerType);
  const filled = Object.entries(column).map(([key, value]) => {
    if (key === 'params') return [key, tagged(value)];
    const conditional = (key === 'conditionalParams' || key === 'conditional_params') && isMapping(value);
    return [key, conditional ? mapValues(value, tagged) : value];
  });
  return Object.fromEntries(filled) as Mapping;
}

/** Of parameters for a sampler that there is not nothing is said: its name is told, and that is the mistake. */
function tag(params: Mapping, samplerType: unknown): Mapping {
  return names.some((name) => name === samplerType) ? { ...params, samplerType } : { samplerType: 'uuid' };
}

function mapValues(mapping: Mapping, change: (value: unknown) => unknown): Mapping {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(value)]));
}
