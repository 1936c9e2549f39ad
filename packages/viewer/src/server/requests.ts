import { z } from 'zod';
import type { Api } from '../api/api.ts';
import type { Condition, Filter } from '../api/filter.ts';

// The forms of all requests, which a page may get wrong and a stranger on purpose.

const MAX_TEXT = 10_000;
const text = z.string().max(MAX_TEXT);
const position = z.int().min(0);
const scalar = z.union([text, z.number(), z.boolean()]);
const bound = z.union([z.number(), text]);
const dataset = text;

const place = { column: text, path: z.array(text).max(8).exactOptional() };
const condition: z.ZodType<Condition> = z.union([
  z.strictObject({
    ...place,
    op: z.enum(['equals', 'not', 'less', 'at-most', 'more', 'at-least']),
    value: scalar,
  }),
  z.strictObject({ ...place, op: z.literal('one-of'), values: z.array(scalar).max(1000) }),
  z.strictObject({
    ...place,
    op: z.enum(['between', 'length']),
    low: bound,
    high: bound,
    isLast: z.boolean().exactOptional(),
  }),
  z.strictObject({ ...place, op: z.literal('dates'), low: text, high: text.nullable() }),
  z.strictObject({ ...place, op: z.enum(['contains', 'matches']), text }),
  z.strictObject({ ...place, op: z.enum(['null', 'not-null']) }),
]);

/** A filter, as requests and addresses of downloads hold it. */
export const filterForm: z.ZodType<Filter> = z.strictObject({
  where: z.array(condition).max(100).exactOptional(),
  search: text.exactOptional(),
  sql: text.exactOptional(),
  model: text.exactOptional(),
  tool: text.exactOptional(),
  failedTool: text.exactOptional(),
  sort: z
    .array(z.strictObject({ column: text, descending: z.boolean() }))
    .max(20)
    .exactOptional(),
  review: z.enum(['accept', 'reject', 'edit', 'reviewed', 'stale', 'none']).exactOptional(),
});

const columns = z.array(text).max(10_000);
const filter = filterForm.exactOptional();
const count = (most: number) => z.int().min(0).max(most);

/** The values of an edit are checked against the columns. */
const review = z.strictObject({
  row: position,
  hash: text,
  verdict: z.enum(['accept', 'reject', 'edit']).nullable(),
  rating: z.int().min(1).max(5).nullable(),
  comment: text.nullable(),
  edits: z.record(text, z.json()).nullable(),
});

/** The form of the request to each address. */
export const REQUESTS = {
  datasets: z.strictObject({}),
  overview: z.strictObject({ dataset }),
  rows: z.strictObject({ dataset, filter, from: position, count: count(500), columns: columns.exactOptional() }),
  compare: z.strictObject({
    left: dataset,
    right: dataset,
    from: position,
    count: count(100),
    changedOnly: z.boolean().exactOptional(),
  }),
  reviews: z.strictObject({ dataset }),
  review: z.strictObject({ dataset, review }),
  record: z.strictObject({ dataset, index: position, filter }),
  'row-hash': z.strictObject({ dataset, index: position }),
  text: z.strictObject({
    dataset,
    index: position,
    column: text,
    message: position.exactOptional(),
    part: z.union([z.enum(['content', 'reasoning']), position]).exactOptional(),
    from: position,
    count: count(1_000_000),
  }),
  trace: z.strictObject({ dataset, index: position, column: text, from: position, count: count(200) }),
  profile: z.strictObject({ dataset }),
  failures: z.strictObject({ dataset }),
  'failed-cells': z.strictObject({
    dataset,
    column: text.exactOptional(),
    code: text.exactOptional(),
    row: position.exactOptional(),
    from: position,
    count: count(100),
  }),
  refusals: z.strictObject({ dataset, code: text.exactOptional(), from: position, count: count(500) }),
  config: z.strictObject({ dataset }),
  live: z.strictObject({ dataset }),
  stats: z.strictObject({ dataset, filter, columns: columns.max(300) }),
} as const satisfies { readonly [Name in keyof Api]: z.ZodType<Api[Name]['request']> };
