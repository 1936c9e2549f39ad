import { rowHash } from '@data-designer/dataset/reviews';
import type { Api } from '../api/requests.ts';
import { comparableWith } from './compare/comparable.ts';
import { compareCounts } from './compare/compare-counts.ts';
import { comparePage } from './compare/compare-page.ts';
import { comparedPair } from './compare/compared-pair.ts';
import { configOf } from './config-answer.ts';
import { failedCells, failureList, refusals } from './failures.ts';
import { profileOf } from './profile-answer.ts';
import { attemptsAt } from './record/recorded-attempts.ts';
import { recordOf, textOf, traceOf } from './record/record.ts';
import { columnStats } from './query/column-stats.ts';
import { overviewOf, runFacts } from './overview.ts';
import { REQUESTS } from '../api/requests.ts';
import { RequestFailure } from './request-failure.ts';
import { rowOrder, rowsPage } from './rows-page.ts';
import type { ShownDatasets } from './shown-datasets.ts';

type Name = keyof typeof REQUESTS;
type Answers = {
  readonly [Key in Name]: (
    request: Api[Key]['request'],
    shown: ShownDatasets,
    signal: AbortSignal,
  ) => Promise<Api[Key]['answer']>;
};

const ANSWERS: Answers = {
  datasets: (_, shown) => shown.list(),
  run: ({ dataset }, shown, signal) => runFacts(shown.of(dataset), signal),
  overview: ({ dataset }, shown) => overviewOf(shown.of(dataset)),
  record: (request, shown, signal) => recordOf(shown.of(request.dataset), request, signal),
  'row-hash': async ({ dataset, index }, shown) => ({ hash: rowHash(await shown.of(dataset).row(index)) }),
  text: (request, shown) => textOf(shown.of(request.dataset), request),
  trace: (request, shown) => traceOf(shown.of(request.dataset), request),
  profile: ({ dataset }, shown) => profileOf(shown.of(dataset)),
  failures: ({ dataset }, shown) => failureList(shown.of(dataset)),
  'failed-cells': (request, shown) => failedCells(shown.of(request.dataset), request),
  refusals: (request, shown) => refusals(shown.of(request.dataset), request),
  config: ({ dataset }, shown) => configOf(shown.of(dataset)),
  live: async (request, shown) => {
    const dataset = shown.of(request.dataset);
    const { progress } = await dataset.monitor.figures();
    await dataset.live.refresh();
    return dataset.live.state(progress);
  },
  making: async (request, shown) => {
    const { live } = shown.of(request.dataset);
    await live.refresh();
    return live.making();
  },
  attempts: async ({ dataset, row: planRow, group }, shown) => ({
    attempts: await attemptsAt(shown.of(dataset), { row: {}, planRow, group }),
  }),
  compare: async ({ left, right, ...page }, shown) =>
    comparePage(...(await comparedPair(shown.of(left), shown.of(right))), page),
  'compare-counts': async ({ left, right, from }, shown, signal) =>
    compareCounts(...(await comparedPair(shown.of(left), shown.of(right))), { from, signal }),
  comparable: ({ dataset }, shown) => comparableWith(shown.of(dataset), shown),
  reviews: async ({ dataset }, shown) => ({ reviews: await shown.of(dataset).reviews.list() }),
  review: ({ dataset, review }, shown) => shown.of(dataset).reviews.write(review),
  order: (request, shown, signal) => rowOrder(shown.of(request.dataset), request, signal),
  rows: (request, shown, signal) => rowsPage(shown.of(request.dataset), request, signal),
  stats: async (request, shown, signal) => {
    const dataset = shown.of(request.dataset);
    const { plan, columns } = await dataset.plan();
    const { version } = await dataset.currentRows();
    const byName = new Map(columns.map((column) => [column.name, column]));
    return columnStats(dataset.queries, request, { plan, columns: byName, version, signal });
  },
};

/** What a request is answered with. */
interface AnswerContext {
  readonly shown: ShownDatasets;
  /** Aborted when the page no longer waits. */
  readonly signal: AbortSignal;
}

/** Answers a request to `/api/<name>`; undefined where there is no such address. */
export function answerOf(name: string, body: unknown, context: AnswerContext): Promise<unknown> | undefined {
  return isName(name) ? answered(name, body, context) : undefined;
}

async function answered(name: Name, body: unknown, { shown, signal }: AnswerContext): Promise<unknown> {
  const { data, error } = REQUESTS[name].safeParse(body);
  if (error) {
    const [{ path, message } = { path: [], message: '' }] = error.issues;
    throw new RequestFailure(400, 'view/bad-request', `The request is wrong at '${path.join('.')}': ${message}.`);
  }
  // The form of the same name has parsed it.
  return ANSWERS[name](data as never, shown, signal);
}

function isName(name: string): name is Name {
  return Object.hasOwn(REQUESTS, name);
}
