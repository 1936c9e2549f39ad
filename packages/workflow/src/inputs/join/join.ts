import { z } from 'zod';
import { optionRule } from '@data-designer/config';
import { defineInput, oneOrMore, type Several, type StageColumns } from '../input-kind.ts';
import { formatCount, pluralize } from '@data-designer/printing';
import { type JoinedRows, type JoinOptions, joinRows } from './join-rows.ts';
import type { UnmatchedRows } from './match-rows.ts';

/** The option of a stage. */
export interface JoinOption {
  /** Joins the rows of several stages; required if `from` names more than one. */
  readonly join?: JoinOptions;
}

/** One row of the rows of several stages. */
export const join = defineInput<JoinOptions>({
  name: 'join',
  schema: z
    .union([
      z.literal('position'),
      z.strictObject({ by: oneOrMore.describe('The columns whose values the rows share.') }),
    ])
    .describe('Joins the rows of several stages: by the values of columns, or each with the row of the same number.'),
  rule: optionRule.any,
  step: 'join',
  joins: true,
  check: (_, reads) => (reads.length < 2 ? 'join needs at least two stages in from' : undefined),
  shape: (options, inputs) => {
    const joined = joinRows(inputs, options);
    if (typeof joined === 'string') return joined;
    const origins = new Map(inputs.toReversed().flatMap((input) => [...input.origins]));
    return [{ ...inputs[0], fields: joined.fields, origins }];
  },
  make: async (options, inputs, { fail, report }) => [
    {
      records: async function* () {
        const { records, unmatched } = await joinOf(options, inputs, fail).join(inputs, fail);
        yield* records;
        if (unmatched.length > 0)
          report({ message: unmatched.map(describeUnmatched).join(', '), details: { unmatched } });
      },
    },
  ],
  forecast: async () => ({ verb: 'match', noun: 'rows' }),
  noRows: (_, from) => `no row of '${from}' has a partner`,
});

function describeUnmatched({ stage, rows, of }: UnmatchedRows): string {
  return `${formatCount(rows)} of ${pluralize(of, 'row')} of '${stage}' without partner left out`;
}

function joinOf(options: JoinOptions, inputs: Several<StageColumns>, fail: (reason: string) => Error): JoinedRows {
  const joined = joinRows(inputs, options);
  if (typeof joined === 'string') throw fail(joined);
  return joined;
}
