import { resolve } from 'node:path';
import { z } from 'zod';
import { statOf } from './local-seed.ts';
import { defineSeedKind, type SeedCheckOptions } from './seed-kind.ts';

/** The rows of a finished dataset, as its reviewers left them. */
export const datasetSeed = defineSeedKind({
  schema: z.object({
    seedType: z.literal('dataset').describe('The rows of a finished dataset of this tool, with its reviews.'),
    path: z.string().describe('The folder of the dataset.'),
    reviews: z
      .enum(['accepted', 'not_rejected'])
      .nullable()
      .default(null)
      .describe(
        'The reviewed rows to read, with their edits: `accepted` for accepted rows, `not_rejected` for all rows except rejected ones. Null for all rows without edits. Stale reviews have no effect.',
      ),
    reviewColumns: z
      .boolean()
      .default(false)
      .describe(
        'Whether rows have their review in the columns `_review_verdict`, `_review_edited`, `_review_rating`, `_review_comment`, `_review_edits`, `_review_author`, `_review_time` and `_review_stale`.',
      ),
  }),
  readsFiles: true,
  check: ({ path }, { folder }: SeedCheckOptions) => {
    const root = resolve(folder, path);
    if (statOf(root)?.isDirectory()) return [];
    const message = `the folder ${root} does not exist.`;
    const remedy = 'Correct the path; a relative path starts from the working folder, and ~ is not expanded.';
    return [{ stage: 'load', level: 'ERROR', field: ['source', 'path'], type: 'seed_path_missing', message, remedy }];
  },
});
