import { z } from 'zod';
import { REVIEW_KINDS } from '../review-kinds.ts';

const MAX_TEXT = 10_000;

/** A text of a request. */
export const text = z.string().max(MAX_TEXT);
const scalar = z.union([text, z.number(), z.boolean()]);
const bound = z.union([z.number(), text]);

const place = { column: text, path: z.array(text).max(8).exactOptional() };

/** A condition on a column; `path` leads to a member of a struct, such as a judge's score. */
const condition = z.union([
  z.strictObject({
    ...place,
    op: z.enum(['equals', 'not', 'less', 'at-most', 'more', 'at-least']),
    value: scalar,
  }),
  z.strictObject({ ...place, op: z.literal('one-of'), values: z.array(scalar).max(1000) }),
  // `low` included, `high` excluded unless `isLast`. Dates and times as ISO text.
  z.strictObject({
    ...place,
    op: z.enum(['between', 'length']),
    low: bound,
    high: bound,
    isLast: z.boolean().exactOptional(),
  }),
  // Times from `low` on and before `high`, which may be open: ISO text in UTC. Texts count as the times that they name.
  z.strictObject({ ...place, op: z.literal('dates'), low: text, high: text.nullable() }),
  // Text, or nested data as JSON text, without regard to case; or a regular expression of RE2.
  z.strictObject({ ...place, op: z.enum(['contains', 'matches']), text }),
  z.strictObject({ ...place, op: z.enum(['null', 'not-null']) }),
]);

/** The rows to show, and in which order; an empty filter is all rows in their order. */
export const filterForm = z.strictObject({
  /** All of them must hold. */
  where: z.array(condition).max(100).exactOptional(),
  /** Text that a value of any column contains, without regard to case. */
  search: text.exactOptional(),
  /** A SQL condition over the columns, such as `score > 3 AND topic LIKE 'a%'`. */
  sql: text.exactOptional(),
  /** Rows for which this model alias was asked: those with a value in one of its columns. */
  model: text.exactOptional(),
  /** Rows with a stored conversation that calls this tool. */
  tool: text.exactOptional(),
  /** Rows with a stored conversation in which a call of this tool failed. */
  failedTool: text.exactOptional(),
  sort: z
    .array(z.strictObject({ ...place, descending: z.boolean() }))
    .max(20)
    .exactOptional(),
  /** Rows by their review. */
  review: z.enum(REVIEW_KINDS).exactOptional(),
});

/** A value whose parts do not change. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** The rows to show, and in which order. */
export type Filter = DeepReadonly<z.output<typeof filterForm>>;

/** A condition on a column. */
export type Condition = DeepReadonly<z.output<typeof condition>>;
