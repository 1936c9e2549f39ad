import { expect, test } from 'vitest';
import { addFailures, countFailures, type FailureCounts, failuresIn } from './tool-failure-reason.ts';

/** The reasons under which failed calls are counted. */
function reasonsOf(...reasons: readonly string[]): readonly string[] {
  const counts: FailureCounts = {};
  for (const reason of reasons) countFailures(counts, { kind: 'server', reason, calls: 1 });
  return failuresIn(counts).map(({ reason, calls }) => `${calls} ${reason}`);
}

test.each([
  ['numbers', ['no answer within 1000 ms', 'no answer within 2500 ms'], '2 no answer within … ms'],
  ['ids', ['no order 8f14e45f-ceea-467f-9cfd-5a1c2b3d4e5f', 'no order 0a1b2c3d4e5f'], '2 no order …'],
  [
    'addresses',
    ['GET https://u:p@a.example/x?key=s3cret failed', 'GET https://a.example/y/7 failed'],
    '2 GET https://a.example/… failed',
  ],
  [
    'keys',
    ['the key sk-live-4eC39HqLyjWDarjtT1zd is wrong', 'the key sk-live-9aB12HqLyjWDarjtT1zd is wrong'],
    '2 the key … is wrong',
  ],
  ['people', ['no account of ann@a.example', 'no account of bob@b.example'], '2 no account of …'],
  ['further lines', ['it broke\n  at a.js:3', 'it broke\n  at b.js:9'], '2 it broke'],
])('reasons that differ in %s alone count together', (_, reasons, wanted) => {
  expect(reasonsOf(...reasons)).toEqual([wanted]);
});

test('a number that is the same in all calls stays, in whatever order counts are added', () => {
  expect(reasonsOf('ended with code 7', 'ended with code 7')).toEqual(['2 ended with code 7']);
  const one: FailureCounts = {};
  const other: FailureCounts = {};
  for (const code of [7, 7, 7]) countFailures(one, { kind: 'server', reason: `ended with code ${code}`, calls: 1 });
  for (const code of [7, 9]) countFailures(other, { kind: 'server', reason: `ended with code ${code}`, calls: 1 });
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const total = { ...first };
    addFailures(total, second);
    expect(failuresIn(total)).toEqual([{ kind: 'server', reason: 'ended with code …', calls: 5 }]);
  }
});

test('HTTP statuses and codes of JSON-RPC stay apart', () => {
  expect(reasonsOf('HTTP 401: no', 'HTTP 503: no', 'HTTP 401: no', 'error -32602')).toEqual([
    '2 HTTP 401: no',
    '1 HTTP 503: no',
    '1 error -32602',
  ]);
});

test('a tool has a bounded number of short reasons, and merging them changes none', () => {
  const words = Array.from(
    { length: 50 },
    (_, at) => `it broke ${'abcdefghij'[at % 10]}${'klmno'[Math.floor(at / 10)]} ${'long '.repeat(100)}`,
  );
  const counts: FailureCounts = {};
  for (const reason of words) countFailures(counts, { kind: 'tool', reason, calls: 1 });
  const all = failuresIn(counts);
  expect(all).toHaveLength(11);
  expect(all[0]).toEqual({ kind: 'tool', reason: 'other reasons', calls: 40 });
  expect(Math.max(...all.map(({ reason }) => reason.length))).toBeLessThanOrEqual(160);
  const total: FailureCounts = {};
  addFailures(total, JSON.parse(JSON.stringify(counts)) as FailureCounts);
  expect(failuresIn(total)).toEqual(all);
});
