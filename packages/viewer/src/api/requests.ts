import { z } from 'zod';
import { filterForm, type DeepReadonly, text } from './filter.ts';
import type { RowReview } from '@data-designer/core';
import { type ComparableList, type CompareCounts, type ComparePage, MEASURE_KINDS } from './compare.ts';
import type { ConfigAnswer } from './config.ts';
import type { TextPage, TracePage } from './conversation.ts';
import type { DatasetList } from './datasets.ts';
import type { FailedCellsPage, FailureList, RefusalsPage } from './failures.ts';
import type { LiveState, RowsInTheMaking } from './live.ts';
import type { Overview, ProfileAnswer, RunFacts } from './overview.ts';
import type { RecordAnswer, RecordedAttempts } from './record.ts';
import type { ReviewList } from './reviews.ts';
import type { RowOrder, RowsPage, StatsAnswer } from './table.ts';

// Each request is declared here once: its form, which a page may get wrong and a stranger on purpose, and its answer. A page
// runs in a browser and imports only the types.

/** The answers, by the name of the address. */
interface Answers {
  /** The datasets that this server shows: one, the stages of a workflow, or several to compare. */
  readonly datasets: DatasetList;
  /** The figures of a run, without reading its rows. */
  readonly run: RunFacts;
  readonly overview: Overview;
  readonly rows: RowsPage;
  /** The rows of a filter around one of them: what comes next is known before its record is read. */
  readonly order: RowOrder;
  readonly stats: StatsAnswer;
  readonly record: RecordAnswer;
  readonly 'row-hash': { readonly hash: string };
  readonly text: TextPage;
  readonly trace: TracePage;
  readonly profile: ProfileAnswer;
  readonly failures: FailureList;
  readonly 'failed-cells': FailedCellsPage;
  readonly refusals: RefusalsPage;
  readonly config: ConfigAnswer;
  readonly live: LiveState;
  readonly making: RowsInTheMaking;
  /** The attempts at a row of the plan whose row group is open. */
  readonly attempts: { readonly attempts: readonly RecordedAttempts[] };
  readonly compare: ComparePage;
  readonly 'compare-counts': CompareCounts;
  /** Other datasets: those that the server shows, and finished ones beside them. */
  readonly comparable: ComparableList;
  readonly reviews: ReviewList;
  readonly review: RowReview;
}

const position = z.int().min(0);
const dataset = text;

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

/** The rows of a comparison: all, those with a difference, in a column, or in which a measure rose or fell. */
const comparedRows = z.discriminatedUnion('of', [
  z.strictObject({ of: z.enum(['all', 'changed']) }),
  z.strictObject({ of: z.literal('column'), name: text }),
  z.strictObject({
    of: z.literal('measure'),
    kind: z.enum(MEASURE_KINDS),
    name: text,
    direction: z.enum(['rose', 'fell']),
  }),
]);

/** The form of the request to each address. */
export const REQUESTS = {
  datasets: z.strictObject({}),
  run: z.strictObject({ dataset }),
  overview: z.strictObject({ dataset }),
  rows: z.strictObject({ dataset, filter, from: position, count: count(500), columns: columns.exactOptional() }),
  order: z.strictObject({ dataset, filter, index: position, before: count(10_000), after: count(10_000) }),
  compare: z.strictObject({
    left: dataset,
    right: dataset,
    from: position,
    count: count(100),
    rows: comparedRows.exactOptional(),
    /** Whether the rows before `from` are wanted. */
    isBackwards: z.boolean().exactOptional(),
  }),
  'compare-counts': z.strictObject({ left: dataset, right: dataset, from: position }),
  comparable: z.strictObject({ dataset }),
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
    cause: text.exactOptional(),
    row: position.exactOptional(),
    from: position,
    count: count(100),
  }),
  refusals: z.strictObject({ dataset, code: text.exactOptional(), from: position, count: count(500) }),
  config: z.strictObject({ dataset }),
  live: z.strictObject({ dataset }),
  making: z.strictObject({ dataset }),
  attempts: z.strictObject({ dataset, row: position, group: position }),
  stats: z.strictObject({ dataset, filter, columns: columns.max(300) }),
} as const satisfies { readonly [Name in keyof Answers]: z.ZodObject };

/**
 * The addresses of the server, `/api/<name>`, with the body of a request and its answer. A request is a POST with a JSON
 * body; a failure is an `ApiFailure` with the status 400 to 503. `LINKS` are requested by GET.
 */
export type Api = {
  readonly [Name in keyof Answers]: { readonly request: RequestOf<Name>; readonly answer: Answers[Name] };
};

/** The body of a request. */
export type RequestOf<Name extends keyof Answers> = DeepReadonly<z.output<(typeof REQUESTS)[Name]>>;
