import { expect, test } from 'vitest';
import { noUsage } from '@data-designer/models';
import { RunSummary } from './run-summary.ts';

const LOST = { column: '', code: 'run/worker-lost', message: 'The worker was lost.' } as const;
const usage = (inputTokens: number) => ({ writer: { ...noUsage(), inputTokens } });

function summaryWithLeft(): RunSummary {
  const summary = new RunSummary();
  summary.addLeft(1, { rows: 8, usage: usage(50) });
  return summary;
}

const tokensOf = (summary: RunSummary) => summary.pricedUsage({ models: {} }).writer?.inputTokens;

test('an abandoned group keeps the rows and usage of an earlier run', () => {
  const summary = summaryWithLeft();
  const standing = summary.add({ group: 1, rows: 0, lost: [{ ...LOST, rows: 40 }], usage: {} }, { hasFile: false });
  expect([standing, summary.rows, summary.finishedRows]).toEqual([8, 8, 8]);
  expect(summary.lost).toEqual([{ ...LOST, rows: 32 }]);
  expect(tokensOf(summary)).toBe(50);
});

test('a finished group replaces the rows and usage of an earlier run', () => {
  const summary = summaryWithLeft();
  expect(summary.add({ group: 1, rows: 39, lost: [{ ...LOST, rows: 1 }], usage: usage(70) })).toBe(39);
  expect(summary.rows).toBe(39);
  expect(summary.lost).toEqual([{ ...LOST, rows: 1 }]);
  expect(tokensOf(summary)).toBe(70);
});

test('a group that never had a file has no rows', () => {
  const summary = new RunSummary();
  expect(summary.add({ group: 0, rows: 0, lost: [{ ...LOST, rows: 4 }], usage: usage(3) }, { hasFile: false })).toBe(0);
  expect(summary.rows).toBe(0);
  expect(summary.lost).toEqual([{ ...LOST, rows: 4 }]);
});

test('lost rows of an unfinished group count until the group is made', () => {
  const summary = new RunSummary();
  summary.addLeft(1, { rows: 3, usage: {}, lost: [{ ...LOST, rows: 2 }] });
  expect(summary.lost).toEqual([{ ...LOST, rows: 2 }]);
  summary.add({ group: 1, rows: 4, lost: [{ ...LOST, rows: 1 }], usage: {} });
  expect(summary.lost).toEqual([{ ...LOST, rows: 1 }]);
});

test('a tool that is left out counts once, and travels to another machine', () => {
  const summary = new RunSummary();
  const odd = { provider: 'demo', tool: 'odd', reason: 'its schema is no object' };
  summary.addDroppedTools([odd]);
  summary.addDroppedTools([odd, { ...odd, provider: 'other' }]);
  for (const one of [summary, summary.copy(), RunSummary.from(summary.state)]) {
    expect(one.findings.droppedTools).toEqual([odd, { ...odd, provider: 'other' }]);
  }
});
