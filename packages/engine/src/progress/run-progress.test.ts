import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { type ModelUsage, noUsage } from '@data-designer/models';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import { RunSummary } from '../run-summary.ts';
import type { ProgressSnapshot } from './progress-snapshot.ts';
import { loadTimeLeft } from './later-time-left.ts';
import { RunProgress } from './run-progress.ts';
import { reportProgress } from './report-progress.ts';

beforeAll(loadTimeLeft);

const PRICING = { input: 1, output: 10, cachedInput: null, image: null };
const RESOURCE = { id: 'model/far/big', kind: 'model', provider: 'far', limit: 8, pool: 'far/big' } as const;
const TOOLS = { id: 'tools/facts', kind: 'tools', provider: 'facts', limit: 64, pool: 'facts' } as const;

/** The parts of a plan that progress reads: 100 rows in ten groups, one model column. */
const PLAN = {
  columns: [{ name: 'fact', needs: [], requires: { models: ['writer'], tools: [] } }],
  models: { writer: { alias: 'writer', resource: RESOURCE.id, model: 'big', pricing: PRICING } },
  resources: [RESOURCE, TOOLS],
  segments: [{ firstRow: 0, rows: 100, groupSize: 10 }],
  maxCost: 5,
} as unknown as Plan;

const GROUPS = Array.from({ length: 10 }, (_, index) => ({ index, firstRow: index * 10, rows: 10 }));

let time = 0;
beforeEach(() => {
  time = 0;
});

function progressOf(plan = PLAN, { summary = new RunSummary(), groups = GROUPS } = {}) {
  return { summary, progress: new RunProgress(plan, { summary, groups, now: () => time }) };
}

/** Usage of answers that each read a thousand tokens and wrote a hundred. */
function usageOf(answers: number): ModelUsage {
  const first = { ...noUsage(), requests: answers, inputTokens: answers * 1000, outputTokens: answers * 100 };
  return { ...first, columns: { fact: { first } } };
}

function told(group: number, { rows, lost = 0 }: { readonly rows: number; readonly lost?: number }): GroupProgress {
  const answers = rows + lost;
  return {
    group,
    rows,
    lost,
    reasons: lost === 0 ? [] : [{ column: 'fact', code: 'model/rejected', message: 'no', rows: lost }],
    cells: { fact: { made: rows, failed: lost, passing: 0 } },
    inFlight: { fact: 2 },
    usage: { writer: usageOf(answers) },
    tools: { get: { calls: answers, errors: lost, timeouts: 0, failures: {}, bytes: 0, latency: [], longestMs: 0 } },
  };
}

function resultOf({ reasons, inFlight: _, ...progress }: GroupProgress): RowGroupResult {
  return {
    ...progress,
    lost: reasons,
    unfinished: 0,
    failures: [],
    orphanedImages: [],
    output: { bytes: new Uint8Array() },
  };
}

test('rows of open groups count as done, and the latest report of a group replaces the one before', () => {
  const { progress } = progressOf();
  progress.open(0);
  progress.onProgress([told(0, { rows: 2 })]);
  progress.onProgress([told(0, { rows: 5, lost: 1 })]);
  const { rows, groups, tools, failures } = progress.snapshot();
  expect(rows).toMatchObject({ wanted: 100, done: 5, before: 0, lost: 1 });
  expect(groups).toEqual({ total: 10, done: 0, open: 1 });
  expect(tools).toEqual({ calls: 6, errors: 1 });
  expect(failures).toEqual([{ column: 'fact', code: 'model/rejected', message: 'no', rows: 1 }]);
});

test('a committed group counts once, even if its worker reports again later', () => {
  const { progress, summary } = progressOf();
  progress.open(0);
  const last = told(0, { rows: 9, lost: 1 });
  progress.onProgress([last]);
  summary.add(resultOf(last));
  progress.close(resultOf(last));
  progress.onProgress([last]);
  const { rows, groups, cost } = progress.snapshot();
  expect(rows).toMatchObject({ done: 9, lost: 1 });
  expect(groups).toEqual({ total: 10, done: 1, open: 0 });
  expect(cost.soFar).toBe(summary.costOf(PLAN));
});

test('a group that starts again starts at zero rows', () => {
  const { progress } = progressOf();
  progress.open(0);
  progress.onProgress([told(0, { rows: 7 })]);
  progress.open(0);
  expect(progress.snapshot().rows.done).toBe(0);
});

test('cost, forecast and remaining budget use the currency of the prices', () => {
  const { progress } = progressOf();
  progress.open(0);
  progress.onProgress([told(0, { rows: 10 })]);
  // Ten answers of 1,000 tokens at 1 and 100 tokens at 10 per million.
  expect(progress.snapshot().cost).toEqual({
    soFar: expect.closeTo(0.02) as number,
    forecast: expect.closeTo(0.2) as number,
    budget: 5,
    left: expect.closeTo(4.98) as number,
  });
});

test('without a price there is no cost and no forecast', () => {
  const writer = { ...PLAN.models['writer'], pricing: null };
  const { progress } = progressOf({ ...PLAN, models: { writer }, maxCost: null } as unknown as Plan);
  progress.open(0);
  progress.onProgress([told(0, { rows: 10 })]);
  expect(progress.snapshot().cost).toEqual({ soFar: null, forecast: null, budget: null, left: null });
});

test('rates and the time left are computed from recent progress', () => {
  const { progress } = progressOf();
  progress.begin();
  expect(progress.snapshot()).toMatchObject({ rows: { perSecond: 0 }, etaSeconds: null });
  progress.open(0);
  for (let rows = 1; rows <= 8; rows++) {
    time += 1000;
    progress.onProgress([told(0, { rows, lost: 1 })]);
    progress.snapshot();
  }
  const { rows, etaSeconds, usage, elapsedMs } = progress.snapshot();
  expect(elapsedMs).toBe(8000);
  expect(rows.perSecond).toBeCloseTo(1);
  expect(etaSeconds).toBeCloseTo(91);
  expect(usage['writer']?.inputTokensPerSecond).toBeCloseTo(9000 / 8);
  expect(usage['writer']?.outputTokensPerSecond).toBeCloseTo(900 / 8);
});

test('the time left counts the finished cells of open rows', () => {
  const requires = { models: ['writer'], tools: [] };
  const chain = [
    ...PLAN.columns,
    { name: 'more', needs: [], requires },
    { name: 'shown', needs: [], requires: { models: [], tools: [] } },
  ];
  const { progress } = progressOf({ ...PLAN, columns: chain } as unknown as Plan);
  progress.begin();
  progress.open(0);
  time = 10_000;
  const made = { made: 40, failed: 0, passing: 0 };
  progress.onProgress([{ ...told(0, { rows: 0 }), cells: { fact: made, more: { ...made, made: 0 } } }]);
  // 40 of 200 cells in ten seconds; no row is finished.
  expect(progress.snapshot()).toMatchObject({
    rows: { done: 0, perSecond: 0 },
    etaSeconds: 40,
    columns: [
      { column: 'fact', done: 40, inFlight: 2, perSecond: 4 },
      { column: 'more', done: 0, inFlight: 0, perSecond: 0 },
    ],
  });
});

test('of two models the slower one decides the time left', () => {
  const other = { ...RESOURCE, id: 'model/near/small', provider: 'near' };
  const requires = { models: ['editor'], tools: [] };
  const { progress } = progressOf({
    ...PLAN,
    columns: [...PLAN.columns, { name: 'more', needs: [], requires }],
    models: { ...PLAN.models, editor: { alias: 'editor', resource: other.id, model: 'small', pricing: PRICING } },
    resources: [...PLAN.resources, other],
  } as unknown as Plan);
  progress.begin();
  progress.open(0);
  time = 10_000;
  const made = { made: 80, failed: 0, passing: 0 };
  progress.onProgress([{ ...told(0, { rows: 0 }), cells: { fact: made, more: { ...made, made: 20 } } }]);
  // 'more' makes two cells per second and has 80 left; 'fact' is done earlier.
  expect(progress.snapshot().etaSeconds).toBeCloseTo(40);
});

test('a lost row has no cells left to make', () => {
  const requires = { models: ['writer'], tools: [] };
  const { progress } = progressOf({
    ...PLAN,
    columns: [...PLAN.columns, { name: 'more', needs: [], requires }],
  } as unknown as Plan);
  progress.begin();
  progress.open(0);
  time = 10_000;
  progress.onProgress([told(0, { rows: 0, lost: 50 })]);
  expect(progress.snapshot().etaSeconds).toBeCloseTo(10);
});

test('rows of earlier runs count as done but not in the rate', () => {
  const summary = new RunSummary();
  summary.addEarlier(38);
  summary.addUsage({ usage: { writer: usageOf(40) } });
  const { progress } = progressOf(PLAN, { summary, groups: GROUPS.slice(4) });
  time = 1000;
  const { rows, groups, cost, usage } = progress.snapshot();
  expect(rows).toEqual({ wanted: 100, done: 38, before: 38, lost: 2, perSecond: 0 });
  expect(groups).toEqual({ total: 10, done: 4, open: 0 });
  expect(cost.soFar).toBeCloseTo(0.08);
  expect(cost.forecast).toBeCloseTo(0.2);
  expect(usage['writer']).toMatchObject({ requests: 40, inputTokensPerSecond: 0 });
});

test('lost rows of earlier runs count once, whether their reasons are known or not', () => {
  const summary = new RunSummary();
  summary.addEarlier(38);
  summary.addUsage({ usage: {}, lost: [{ column: 'fact', code: 'model/rejected', message: 'no', rows: 1 }] });
  const { progress } = progressOf(PLAN, { summary, groups: GROUPS.slice(4) });
  expect(progress.snapshot().rows).toMatchObject({ done: 38, lost: 2 });
});

test('the journaled answers of a resumed run are there from the start, and count neither in the rates nor in the time left', () => {
  const { progress } = progressOf();
  progress.addJournaled(resultOf(told(0, { rows: 8 })));
  progress.addJournaled(resultOf(told(1, { rows: 6 })));
  progress.begin();
  progress.onModels([{ resource: RESOURCE.id, inFlight: 3, limit: 8, waiting: 0, pausedMs: 0 }]);
  expect(progress.snapshot()).toMatchObject({ rows: { done: 14, perSecond: 0 } });
  progress.open(0);
  time = 500;
  progress.onProgress([told(0, { rows: 8 })]);
  expect(progress.snapshot()).toMatchObject({ rows: { done: 14, perSecond: 0 }, etaSeconds: null });
  progress.open(1);
  time = 2000;
  progress.onProgress([told(1, { rows: 10 })]);
  const { rows, etaSeconds, usage } = progress.snapshot();
  expect(rows).toMatchObject({ done: 18, perSecond: 2 });
  expect(etaSeconds).toBeCloseTo(82 / 2);
  expect(usage['writer']?.inputTokensPerSecond).toBeCloseTo(4000 / 2);
});

test('a committed group counts once, including its journaled cells', () => {
  const { progress, summary } = progressOf();
  const result = resultOf(told(0, { rows: 10 }));
  progress.addJournaled(result);
  progress.begin();
  progress.open(0);
  time = 1000;
  summary.add(result);
  progress.close(result);
  progress.open(1);
  progress.onProgress([told(1, { rows: 10 })]);
  expect(progress.snapshot()).toMatchObject({ rows: { done: 20, perSecond: 10 }, etaSeconds: 8 });
});

test('models show the latest report of the gateway, and their pause counts down', () => {
  const { progress } = progressOf();
  const idle = { model: 'far/big', aliases: ['writer'], inFlight: 0, limit: 8, waiting: 0, pausedMs: 0 };
  expect(progress.snapshot().models).toEqual([idle]);
  progress.onModels([{ resource: RESOURCE.id, inFlight: 3, limit: 4, waiting: 17, pausedMs: 5000 }]);
  time = 2000;
  expect(progress.snapshot().models).toEqual([{ ...idle, inFlight: 3, limit: 4, waiting: 17, pausedMs: 3000 }]);
  time = 9000;
  expect(progress.snapshot().models[0]?.pausedMs).toBe(0);
});

test('the snapshot names three failure reasons, the most frequent first', () => {
  const { progress } = progressOf();
  const reasons = [4, 3, 2, 1].map((rows) => {
    return { column: `c${rows}`, code: 'model/rejected' as const, message: 'no', rows };
  });
  progress.open(0);
  progress.onProgress([{ ...told(0, { rows: 0 }), reasons }]);
  expect(progress.snapshot().failures.map(({ column }) => column)).toEqual(['c4', 'c3', 'c2']);
});

test('the number of changes rises with every change and not with a snapshot', () => {
  const { progress } = progressOf();
  const before = progress.changes;
  progress.snapshot();
  expect(progress.changes).toBe(before);
  progress.open(0);
  expect(progress.changes).toBeGreaterThan(before);
});

test('a group with rows left for a later run is not done', () => {
  const { progress } = progressOf();
  progress.open(0);
  progress.open(1);
  progress.close(resultOf(told(0, { rows: 10 })));
  progress.close({ ...resultOf(told(1, { rows: 4 })), unfinished: 6 });
  expect(progress.snapshot().groups).toEqual({ total: 10, done: 1, open: 0 });
});

/** A run with requests in flight whose first group is half made, ten rows a second. */
function underWay() {
  const { progress } = progressOf();
  progress.open(0);
  progress.onModels([{ resource: RESOURCE.id, inFlight: 3, limit: 4, waiting: 17, pausedMs: 0 }]);
  time = 500;
  progress.onProgress([told(0, { rows: 5 })]);
  return progress;
}

test('after the end of a run no request is in flight or waiting, and a run that ended early has no time left', () => {
  const progress = underWay();
  expect(progress.snapshot()).toMatchObject({ etaSeconds: 9.5, models: [{ inFlight: 3, waiting: 17 }] });
  progress.end();
  progress.onModels([{ resource: RESOURCE.id, inFlight: 2, limit: 4, waiting: 9, pausedMs: 0 }]);
  const { etaSeconds, models } = progress.snapshot();
  expect(etaSeconds).toBeNull();
  expect(models).toMatchObject([{ inFlight: 0, limit: 4, waiting: 0 }]);
});

test('a run that ended with missing rows has no time left, even if all its timed cells are made', () => {
  const { progress } = progressOf();
  progress.open(0);
  const cells = { fact: { made: 100, failed: 0, passing: 0 } };
  progress.onProgress([{ ...told(0, { rows: 4 }), cells }]);
  time = 1000;
  expect(progress.snapshot().etaSeconds).toBe(0);
  progress.end();
  expect(progress.snapshot().etaSeconds).toBeNull();
});

test('the last progress event shows the state after the end of the run', () => {
  const snapshots: ProgressSnapshot[] = [];
  const telling = reportProgress(underWay(), (event) => {
    if (event.type === 'progress') snapshots.push(event.snapshot);
  });
  telling[Symbol.dispose]();
  expect(snapshots.at(-1)).toMatchObject({ etaSeconds: null, models: [{ inFlight: 0, waiting: 0 }] });
});

test('a finished run has zero seconds left', () => {
  const { progress, summary } = progressOf(PLAN, { groups: GROUPS });
  for (const { index } of GROUPS) {
    const result = resultOf(told(index, { rows: 10 }));
    summary.add(result);
    progress.close(result);
  }
  progress.end();
  expect(progress.snapshot()).toMatchObject({ etaSeconds: 0, groups: { done: 10 } });
});

test('a stalled run estimates at least as much time left as it has stalled', () => {
  const { progress } = progressOf();
  progress.begin();
  progress.open(0);
  for (let rows = 1; rows <= 98; rows++) {
    time += 100;
    progress.onProgress([told(0, { rows })]);
    progress.snapshot();
  }
  expect(progress.snapshot().etaSeconds).toBeLessThan(1);
  time += 15_000;
  expect(progress.snapshot().etaSeconds).toBeGreaterThanOrEqual(15);
});

test('a column in a block of attempts counts rows, and its forecast prices the attempts that the others will take', () => {
  const block = {
    name: 'solve',
    columns: ['fact'],
    decision: null,
    keep: 'first',
    max: 4,
    onExhausted: 'null',
    writes: [],
  };
  const { progress } = progressOf({ ...PLAN, attempts: [block] } as unknown as Plan);
  progress.open(0);
  const attempts = { solve: { rows: 10, attempts: 20, failed: 0, accepted: [5, 0, 5], exhausted: [] } };
  const cells = { fact: { made: 20, failed: 0, passing: 0 } };
  progress.onProgress([{ ...told(0, { rows: 10 }), usage: { writer: usageOf(20) }, cells, attempts }]);
  const snapshot = progress.snapshot();
  expect(snapshot.columns).toMatchObject([{ column: 'fact', done: 10 }]);
  const { soFar, forecast } = snapshot.cost;
  expect(forecast).toBeCloseTo(10 * (soFar ?? 0));
  expect(snapshot.attempts).toMatchObject({ solve: { rows: 10, passAt: [0.5, 0.5, 1, 1], attemptsPerAccepted: 2 } });
  expect(snapshot.attempts?.['solve']?.costPerAccepted).toBeCloseTo((soFar ?? 0) / 10);
});
