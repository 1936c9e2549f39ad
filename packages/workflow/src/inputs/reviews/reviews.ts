import { createHash } from 'node:crypto';
import { z } from 'zod';
import { oneOf } from '@data-designer/config';
import { stringifyJson } from '@data-designer/core';
import { readReviews, ReviewedExport } from '@data-designer/dataset/reviews';
import { pluralize } from '@data-designer/printing';
import { defineInput, type MadeRows, type StageRows } from '../input-kind.ts';

const CHOICES = ['accepted', 'not_rejected'] as const;
type Choice = (typeof CHOICES)[number];

/** The option of a stage. */
export interface ReviewsOption {
  /**
   * Which reviewed rows of the stages it reads, with their edits: the accepted ones, or all but the rejected ones.
   * Default: all rows without edits.
   */
  readonly reviews?: Choice;
}

/** The rows that reviewers left, with their edits. A rehearsed output has no reviews. */
export const reviews = defineInput<Choice>({
  name: 'reviews',
  schema: z
    .enum(CHOICES)
    .describe(
      'Which reviewed rows of the stages it reads, with their edits: the accepted ones, or all but the rejected ones; default: all rows without edits.',
    ),
  rule: oneOf('a choice of reviewed rows', CHOICES),
  step: 'review',
  isForRuns: true,
  check: (_, reads) => {
    const mapped = reads.find(({ options }) => options.map);
    return mapped && `it reads reviews of '${mapped.name}', whose rows are those of a map, which cannot be reviewed`;
  },
  shape: (_, inputs) => inputs,
  make: async (choice, [first, ...others], { report }) => {
    const stale: StaleReviews[] = [];
    const inputs = [await reviewed(first, choice, stale)] as const;
    const more = await Promise.all(others.map((one) => reviewed(one, choice, stale)));
    if (stale.length > 0) report({ message: stale.map(describeStale).join(', '), details: { stale } });
    return [...inputs, ...more];
  },
  noRows: (choice, from) =>
    choice === 'accepted'
      ? `no row of '${from}' is accepted; review them with \`data-designer view\`, and resume`
      : `all rows of '${from}' are rejected`,
});

/** Reviews of a stage's rows that changed after the review. */
interface StaleReviews {
  readonly stage: string;
  /** The positions of the rows, from 0. */
  readonly rows: readonly number[];
}

function describeStale({ stage, rows }: StaleReviews): string {
  return `${pluralize(rows.length, 'review')} of '${stage}' had no effect, because the rows changed after the review`;
}

async function reviewed(input: StageRows, choice: Choice, stale: StaleReviews[]): Promise<MadeRows> {
  const { reviewed: folder, fields, stage } = input;
  if (folder === undefined) return { records: input.records, rows: input.rows };
  const use = { applyEdits: true, acceptedOnly: choice === 'accepted', dropRejected: true };
  const positions: number[] = [];
  let [accepted, rejected] = [0, 0];
  const hash = createHash('sha256');
  for await (const { isStale, row, verdict, edits } of readReviews(folder)) {
    if (isStale) {
      positions.push(row);
      continue;
    }
    if (verdict === 'reject') rejected++;
    else if (verdict !== null) accepted++;
    hash.update(stringifyJson([row, verdict, edits]));
  }
  if (positions.length > 0) stale.push({ stage, rows: positions });
  const records = () => new ReviewedExport(folder, fields, use).records();
  const rows = choice === 'accepted' ? accepted : input.rows - rejected;
  return { records, rows, basis: hash.digest('hex') };
}
