import { z } from 'zod';

const columns = z.array(z.string()).min(1);
const similarity = z.number().gt(0).max(1);

/** One rule of `unique`: which rows count as duplicates of an earlier one. */
const uniqueRule = z
  .union([
    z
      .strictObject({ exact: columns.describe('The columns whose text is compared together.') })
      .describe('Rows with equal text, after Unicode normalisation, in lower case and with single spaces.'),
    z
      .strictObject({
        minhash: columns.describe('The columns whose text is compared together.'),
        threshold: similarity
          .default(0.8)
          .describe('Rows are duplicates if the Jaccard similarity of their word 5-grams is at least this value.'),
      })
      .describe('Rows with similar text.'),
    z
      .strictObject({
        embedding: z.string().describe('An embedding column.'),
        threshold: similarity
          .default(0.9)
          .describe('Rows are duplicates if their cosine similarity is at least this value.'),
      })
      .describe('Rows with similar embeddings.'),
  ])
  .describe('Which rows are duplicates of an earlier one.');

/** The selection of rows: exactly as many as the run asks for, from as many candidates as that takes. */
export const selectConfig = z
  .strictObject({
    where: z
      .string()
      .regex(/\S/, { error: 'the text must not be blank; write a text' })
      .nullable()
      .default(null)
      .describe(
        'A Jinja expression over the row without braces, or the name of a boolean column; rows that it refuses are replaced.',
      ),
    unique: z.array(uniqueRule).nullable().default(null).describe('The rules that refuse duplicates of earlier rows.'),
    uniqueAgainst: z
      .array(z.string())
      .nullable()
      .default(null)
      .describe('Dataset folders whose rows count as earlier rows in `unique`.'),
    notIn: z
      .strictObject({
        files: z.array(z.string()).min(1).describe('Benchmark files (CSV, JSONL or Parquet) as paths or patterns.'),
        column: z.string().describe('The column whose text is compared with the benchmark items.'),
        ngram: z.int().min(2).max(50).default(8).describe('The number of words in a compared sequence.'),
        share: similarity
          .default(0.5)
          .describe("A row is refused if it contains at least this share of a benchmark item's words."),
      })
      .nullable()
      .default(null)
      .describe('Refuses rows that contain benchmark items.'),
    balance: z
      .strictObject({
        column: z.string().describe('The column whose values are balanced.'),
        maxShare: similarity.describe('The largest share of accepted rows with the same value.'),
      })
      .nullable()
      .default(null)
      .describe('Refuses rows if their value in a column is already frequent enough.'),
    maxCandidates: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('Maximum number of rows to generate; null for three times the requested rows.'),
    onExhausted: z
      .enum(['fail', 'keep'])
      .default('fail')
      .describe('Whether a run with too few accepted rows fails or keeps them as its result.'),
    keepRejected: z
      .boolean()
      .default(false)
      .describe(
        'Whether to store refused rows with their reasons in the folder `rejected`. Rows that `where` refuses are then completed.',
      ),
    keepCandidates: z
      .boolean()
      .default(true)
      .describe('Whether to keep all candidates, so that rows can be added later without making a candidate again.'),
  })
  .describe('Rules for the rows to accept. Other rows are replaced until the run has the requested number of rows.');

/** A parsed selection. */
export type SelectConfig = z.output<typeof selectConfig>;
