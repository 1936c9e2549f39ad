import { z } from 'zod';
import { anyFloat, floatIn, readsAs } from '../read-form.ts';
import { given, isGiven } from '../spelling.ts';

const common = {
  targetColumn: z.string().describe('The sampler column whose values are held to it.'),
  operator: z.enum(['lt', 'le', 'gt', 'ge']).describe('Below, at most, above, at least.'),
} as const;

const scalar = z.strictObject({
  constraintType: z.literal('scalar_inequality').default('scalar_inequality').describe('Against a number.'),
  ...common,
  rhs: anyFloat().describe('The number.'),
});

const column = z.strictObject({
  constraintType: z.literal('column_inequality').default('column_inequality').describe('Against another column.'),
  ...common,
  rhs: z.string().describe('Name of another sampler column.'),
});

/** An inequality that the values of a sampler column satisfy; its type follows from the right side if absent. */
export const constraint = readsAs(z.discriminatedUnion('constraintType', [scalar, column]), (value) => {
  if (isGiven(value, 'constraintType')) return value;
  const rhs = given(value, 'rhs');
  const isColumn = typeof rhs === 'string' && !Number.isFinite(floatIn(rhs));
  return { ...value, constraintType: isColumn ? 'column_inequality' : 'scalar_inequality' };
});

export type Constraint = z.output<typeof constraint>;
