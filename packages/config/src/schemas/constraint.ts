import { z } from 'zod';
import { anyFloat, floatIn, readsAs } from '../read-form.ts';
import { given, isGiven } from '../spelling.ts';

const common = {
  targetColumn: z.string().describe('The sampler column whose values must satisfy the inequality.'),
  operator: z
    .enum(['lt', 'le', 'gt', 'ge'])
    .describe('The comparison: `lt` (less than), `le` (at most), `gt` (greater than) or `ge` (at least).'),
} as const;

const scalar = z.strictObject({
  constraintType: z.literal('scalar_inequality').default('scalar_inequality').describe('Compare with a number.'),
  ...common,
  rhs: anyFloat().describe('The number to compare with.'),
});

const column = z.strictObject({
  constraintType: z
    .literal('column_inequality')
    .default('column_inequality')
    .describe('Compare with another column of the row.'),
  ...common,
  rhs: z.string().describe('The sampler column to compare with.'),
});

/** An inequality that the values of a sampler column satisfy; its type follows from the right side if absent. */
export const constraint = readsAs(z.discriminatedUnion('constraintType', [scalar, column]), (value) => {
  if (isGiven(value, 'constraintType')) return value;
  const rhs = given(value, 'rhs');
  const isColumn = typeof rhs === 'string' && !Number.isFinite(floatIn(rhs));
  return { ...value, constraintType: isColumn ? 'column_inequality' : 'scalar_inequality' };
});

export type Constraint = z.output<typeof constraint>;
