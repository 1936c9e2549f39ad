import { expect, test } from 'vitest';
import type { ProgressSnapshot } from '@data-designer/engine';
import type { StageReport } from './check-workflow.ts';
import { orderStages } from './order-stages.ts';
import type { WorkflowEvent } from './workflow-event.ts';
import { WorkflowProgress } from './workflow-progress.ts';

const declared = (name: string, options: object = {}) => ({ name, config: {} as never, options });
const STAGES = orderStages('w', [
  declared('a'),
  declared('same'),
  declared('wide', { expand: 'list' }),
  declared('own', { rows: 5, from: 'a' }),
  declared('mapped', { from: 'a', map: () => [] }),
  declared('after', { from: 'mapped' }),
]);
const REPORTS = [{ stage: 'same', models: ['m'] }] as unknown as readonly StageReport[];

function progress(maxCost: number | null = null, stages = STAGES) {
  const events: WorkflowEvent[] = [];
  const onEvent = (event: WorkflowEvent): void => void events.push(event);
  const parts = { workflow: 'w', path: '/w', reports: REPORTS, numRecords: 7, maxCost, onEvent };
  return { events, progress: new WorkflowProgress(stages, parts) };
}

const rowsOf = (one: WorkflowProgress) => one.snapshot().stages.map(({ rows }) => rows.wanted);
const run = (more: object = {}) =>
  ({
    rows: { wanted: 7, done: 3, lost: 1 },
    cost: { soFar: 2, forecast: 4 },
    usage: { m: { requests: 3 }, n: { requests: 2 } },
    etaSeconds: 9,
    ...more,
  }) as unknown as ProgressSnapshot;

test('the rows of a stage are known where it takes its input as it is, and else once it begins', () => {
  const { progress: one, events } = progress();
  expect(rowsOf(one)).toEqual([7, 7, null, 5, 7, null]);
  expect(events).toMatchObject([{ type: 'workflow-start', workflow: 'w', path: '/w' }]);
  one.take({ type: 'stage-start', stage: 'wide', index: 2, rows: 30 });
  expect(rowsOf(one)).toEqual([7, 7, 30, 5, 7, null]);
  expect(events.at(-1)?.type).toBe('workflow-progress');
});

test('a stage runs, and is done with the rows that it has made', () => {
  const { progress: one } = progress();
  one.take({ type: 'stage-start', stage: 'a', index: 0, rows: 7 });
  one.take({ type: 'stage-event', stage: 'a', event: { type: 'progress', snapshot: run() } as never });
  expect(one.snapshot()).toMatchObject({
    requests: 5,
    stages: [{ state: 'running', rows: { wanted: 7, done: 3, lost: 1 } }, {}, {}, {}, {}, {}],
    cost: { soFar: 2, forecast: 4, unknown: ['same'] },
    time: { etaSeconds: 9, unknown: ['same'] },
  });
  one.take({ type: 'stage-end', stage: 'a', index: 0, rows: 6 });
  expect(one.snapshot().stages[0]).toMatchObject({ state: 'done', rows: { done: 6 }, cost: { soFar: 2, forecast: 2 } });
  expect(one.snapshot().time.etaSeconds).toBe(0);
});

test('reused, skipped and stopped stages say so', () => {
  const { progress: one, events } = progress(10);
  one.take({ type: 'stage-reuse', stage: 'a', index: 0, rows: 4, requests: 8, cost: 3, knownCost: 3 });
  one.take({ type: 'stage-skip', stage: 'own', index: 3, reason: 'no rows' } as never);
  const before = events.length;
  one.take({ type: 'stage-event', stage: 'same', event: { type: 'run-end', ended: null } as never });
  expect(events).toHaveLength(before + 1);
  one.take({ type: 'stage-event', stage: 'same', event: { type: 'run-end', ended: { code: 'x' } } as never });
  const { stages, cost, requests } = one.snapshot();
  expect(stages.map(({ state }) => state)).toEqual(['reused', 'stopped', 'waiting', 'skipped', 'waiting', 'waiting']);
  expect(stages[0]?.rows).toEqual({ wanted: 4, done: 4, lost: 0 });
  expect(stages[3]?.rows).toEqual({ wanted: 0, done: 0, lost: 0 });
  expect([cost.soFar, cost.budget, cost.left, requests]).toEqual([3, 10, 7, 8]);
});

test('a stage with a model without a price keeps its known cost, and is named', () => {
  const { progress: one } = progress(10);
  one.take({ type: 'stage-reuse', stage: 'a', index: 0, rows: 4, requests: 8, cost: null, knownCost: 3 });
  expect(one.snapshot().cost).toMatchObject({ soFar: null, known: 3, unpriced: ['a'], left: 7 });
});

test('unknown costs and times stay unknown, and a budget is never overdrawn', () => {
  const { progress: one } = progress(1);
  const unpriced = run({ cost: { soFar: null, forecast: null }, etaSeconds: null });
  for (const stage of ['a', 'same']) one.take({ type: 'stage-start', stage, index: 0, rows: 7 });
  one.take({ type: 'stage-event', stage: 'a', event: { type: 'progress', snapshot: unpriced } as never });
  one.take({ type: 'stage-event', stage: 'same', event: { type: 'progress', snapshot: run() } as never });
  expect(one.snapshot().cost).toMatchObject({ soFar: null, forecast: null, left: 0, unknown: [] });
  expect(one.snapshot().time).toEqual({ etaSeconds: null, unknown: [] });
});
