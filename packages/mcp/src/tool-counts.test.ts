import { expect, test } from 'vitest';
import { addToolCounts, countCall, type ToolCounts, toolStatistics } from './tool-counts.ts';

const call = { bytes: 10, elapsedMs: 20 };
const timeout = { kind: 'timeout', reason: 'no answer within 900 ms' } as const;
const refusal = { kind: 'server', reason: 'busy' } as const;

test('counts of several threads and runs add up to those of one', () => {
  const [first, second, whole]: Record<string, ToolCounts>[] = [{}, {}, {}];
  for (const counts of [first, whole]) {
    countCall(counts as Record<string, ToolCounts>, { name: 'a' }, call);
    countCall(
      counts as Record<string, ToolCounts>,
      { provider: 'p', name: 'b' },
      { ...call, failure: timeout, elapsedMs: 900 },
    );
  }
  for (const counts of [second, whole]) {
    countCall(counts as Record<string, ToolCounts>, { name: 'a' }, { ...call, failure: refusal, elapsedMs: undefined });
  }
  const total: Record<string, ToolCounts> = {};
  // Counts arrive from a thread and from a file.
  addToolCounts(total, structuredClone(first as object) as Record<string, ToolCounts>);
  addToolCounts(total, JSON.parse(JSON.stringify(second)) as Record<string, ToolCounts>);
  expect(total).toEqual(whole);
  expect(toolStatistics(total)).toEqual({
    a: {
      provider: null,
      calls: 2,
      errors: 1,
      timeouts: 0,
      failures: [{ kind: 'server', reason: 'busy', calls: 1 }],
      bytes: 20,
      latencyMs: { p50: 20, p95: 20, max: 20 },
    },
    b: {
      provider: 'p',
      calls: 1,
      errors: 1,
      timeouts: 1,
      failures: [{ kind: 'timeout', reason: 'no answer within 900 ms', calls: 1 }],
      bytes: 10,
      latencyMs: { p50: 900, p95: 900, max: 900 },
    },
  });
});

test('a tool that was not reached has no latencies', () => {
  const counts: Record<string, ToolCounts> = {};
  countCall(counts, { name: 'a' }, { ...call, elapsedMs: undefined });
  expect(toolStatistics(counts)['a']?.latencyMs).toEqual({ p50: null, p95: null, max: null });
});

test('a tool may have the name of an object property', () => {
  const counts: Record<string, ToolCounts> = {};
  countCall(counts, { name: 'constructor' }, call);
  addToolCounts(counts, { toString: counts['constructor'] as ToolCounts });
  expect(Object.values(toolStatistics(counts)).map(({ calls }) => calls)).toEqual([1, 1]);
});

test('statistics prefix a tool with its provider only if several providers offer its name', () => {
  const counts: Record<string, ToolCounts> = {};
  const called = (provider: string, name: string) => countCall(counts, { provider, name }, call);
  called('p', 'find');
  expect(Object.keys(toolStatistics(counts))).toEqual(['find']);
  called('q', 'find');
  called('q', 'look');
  called('r', 'q/find');
  countCall(counts, { name: '(unknown)' }, call);
  const more: Record<string, ToolCounts> = {};
  addToolCounts(more, counts);
  addToolCounts(more, counts);
  const told = Object.entries(toolStatistics(more)).map(([name, { calls }]) => [name, calls]);
  expect(told).toEqual([
    ['p/find', 2],
    ['q/find', 2],
    ['look', 2],
    ['r/q/find', 2],
    ['(unknown)', 2],
  ]);
});
