import { expect, test } from 'vitest';
import type { ToolCounts } from '@data-designer/mcp';
import { type ModelUsage, noUsage } from '@data-designer/models';
import { noCounts } from '../../models/src/usage.ts';
import { countsWithout, joinCounts } from './counts.ts';

const usage = (inputTokens: number): ModelUsage => ({
  ...noUsage(),
  inputTokens,
  requests: inputTokens / 10,
  columns: { text: { first: { ...noCounts(), inputTokens } } },
});

const tool = (calls: number, failures: ToolCounts['failures'] = {}, longestMs = 9): Record<string, ToolCounts> => ({
  fact: { calls, errors: calls, timeouts: 0, bytes: calls * 3, longestMs, failures, latency: [0, calls] },
});

test('a part that is taken away leaves the rest, and added again gives the whole', () => {
  const all = {
    usage: { writer: usage(70), judge: usage(20) },
    tools: tool(5, { 'tool it failed': 3, 'timeout once': 1 }),
  };
  const part = { usage: { writer: usage(30) }, tools: tool(2, { 'timeout once': 1 }, 7) };
  const left = countsWithout(all, part);
  expect(left.usage).toMatchObject({ writer: { inputTokens: 40, requests: 4 }, judge: { inputTokens: 20 } });
  expect(left.usage['writer']?.columns['text']?.first?.inputTokens).toBe(40);
  expect(left.tools['fact']).toMatchObject({ calls: 3, bytes: 9, longestMs: 9, failures: { 'tool it failed': 3 } });
  expect(Object.keys(left.tools['fact']?.failures ?? {})).toEqual(['tool it failed']);
  const whole = joinCounts(left, part);
  expect(whole.usage).toEqual(joinCounts(all, { usage: {} }).usage);
  expect(whole.tools['fact']).toMatchObject({
    calls: 5,
    bytes: 15,
    failures: { 'tool it failed': 3, 'timeout once': 1 },
  });
});

test('a tool without a call that is left is left out', () => {
  expect(countsWithout({ usage: {}, tools: tool(2) }, { usage: {}, tools: tool(2) })).toEqual({ usage: {}, tools: {} });
  expect(countsWithout({ usage: { writer: usage(10) } }, { usage: {} }).usage['writer']?.inputTokens).toBe(10);
});

test('counts without others are themselves', () => {
  const one = { usage: { writer: usage(10) }, tools: {} };
  expect(joinCounts(one, undefined)).toBe(one);
  expect(joinCounts(one, { usage: { writer: usage(10) } }).usage['writer']?.inputTokens).toBe(20);
});

const attempts = (rows: number) => ({
  solve: { rows, attempts: 2 * rows, failed: 0, accepted: [0, rows], exhausted: [] },
});

test('attempts add up and are taken away like usage', () => {
  const all = { usage: {}, tools: {}, attempts: attempts(5) };
  const left = countsWithout(all, { usage: {}, attempts: attempts(2) });
  expect(left.attempts).toEqual(attempts(3));
  expect(joinCounts(left, { usage: {}, attempts: attempts(2) }).attempts).toEqual(attempts(5));
  expect(countsWithout(all, { usage: {} }).attempts).toEqual(attempts(5));
});
