import { z } from 'zod';
import { fieldsOf } from '@data-designer/core';

const expression = z.string().regex(/\S/, { error: 'the text must not be blank; write a text' });

/** The most attempts at one row. */
const MOST_ATTEMPTS = 1000;

/** One block of columns that are made several times for the same row. */
export const attemptsConfig = z.strictObject({
  name: z.string().min(1).describe('The name of the block. The names of its additional columns begin with this name.'),
  columns: z.array(z.string()).min(1).describe('The columns that are made together in each attempt.'),
  until: expression
    .nullable()
    .default(null)
    .describe(
      'With `keep: first`: a Jinja expression over the row. An attempt is accepted if it is true, as in verdict.passed.',
    ),
  max: z
    .int()
    .min(1)
    .max(MOST_ATTEMPTS)
    .describe('With `keep: first`, the maximum number of attempts; otherwise, the number of attempts.'),
  keep: z
    .union(
      [
        z.enum(['first', 'all']),
        z.strictObject({ best: expression.describe('A Jinja expression: the score of an attempt.') }),
        z.strictObject({ pair: expression.describe('A Jinja expression: the score of an attempt.') }),
      ],
      {
        // A mapping with one of the two keys has its mistake in the score.
        error: ({ input }) =>
          /^(?:best|pair)$/.test(Object.keys(fieldsOf(input)).join())
            ? undefined
            : 'this is no way to keep attempts; use first, all, or a score as in { best: score } or { pair: score }',
      },
    )
    .default('first')
    .describe(
      'The attempts that the row keeps: the first accepted one, all, the best, or the best and the worst as a pair.',
    ),
  onExhausted: z
    .union([z.enum(['drop_row', 'keep_last', 'null']), z.null()])
    .default('drop_row')
    // YAML reads null without quotes as null.
    .transform((value) => value ?? 'null')
    .describe('The effect if no attempt of a row is accepted, or if all scores of a pair are equal.'),
});

/** A parsed block of attempts. */
export type AttemptsConfig = z.output<typeof attemptsConfig>;
