import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlannedSelect } from '@data-designer/core';
import { testFolder } from '@data-designer/testing/test-folder';
import { requireCompared } from './check-compared.ts';
import { refusedCandidate, RowJudge } from './row-judge.ts';

const folder = testFolder('judge');

const NONE: PlannedSelect = {
  where: null,
  unique: [],
  uniqueAgainst: [],
  maxCandidates: null,
  onExhausted: 'keep',
  keepRejected: false,
  keepCandidates: true,
};
const EXACT: PlannedSelect = { ...NONE, unique: [{ kind: 'exact', columns: ['q', 'r'] }] };

test('a row of which nothing is asked is accepted', async () => {
  using judge = await RowJudge.open(NONE);
  expect(judge.decide({ q: 'x' }, 0)).toBeUndefined();
  expect(judge.compared).toBeUndefined();
});

test('a row is refused by its verdict alone, before its texts are compared', async () => {
  using judge = await RowJudge.open({ ...EXACT, where: 'ok' });
  expect(judge.decide({ ok: false, q: 'x', r: 'y' }, 0)).toMatchObject({
    counted: { code: 'select/refused', column: '' },
  });
  expect(judge.decide({ ok: true, q: 'x', r: 'y' }, 0)).toBeUndefined();
  expect(judge.decide({ ok: null, q: 'z', r: 'y' }, 1)).toBeUndefined();
});

test('a duplicate names the accepted row, and is counted by its columns', async () => {
  using judge = await RowJudge.open(EXACT);
  expect(judge.decide({ q: 'x', r: 'y' }, 4)).toBeUndefined();
  expect(judge.decide({ q: 'x', r: 'z' }, 5)).toBeUndefined();
  const refusal = judge.decide({ q: 'x', r: 'y' }, 6);
  expect(refusal).toMatchObject({ of: 4, counted: { code: 'select/duplicate', column: 'q, r' } });
  expect(refusal && refusedCandidate(9, refusal)).toEqual({
    row: 9,
    code: 'select/duplicate',
    column: 'q, r',
    reason: refusal?.reason,
    of: 4,
  });
});

test('a row beyond the share of its value is counted by the column', async () => {
  using judge = await RowJudge.open({ ...NONE, balance: { column: 'topic', maxShare: 0.5 } });
  const refused = Array.from({ length: 8 }, (_, at) => judge.decide({ topic: 'one' }, at)).find((one) => one);
  expect(refused).toMatchObject({ counted: { code: 'select/balance', column: 'topic' } });
  expect(refused && 'of' in refused).toBe(false);
});

test('a row with words of a benchmark is counted by the file, whose digest is recorded', async () => {
  const file = join(folder, 'bench.jsonl');
  await writeFile(file, '{"question": "one two three four five six"}\n');
  using judge = await RowJudge.open({ ...NONE, notIn: { files: [file], columns: ['q'], ngram: 3, share: 0.5 } });
  expect(judge.decide({ q: 'seven eight nine ten' }, 0)).toBeUndefined();
  expect(judge.decide({ q: 'one two three four five six' }, 1)).toMatchObject({
    counted: { code: 'select/benchmark', column: file },
  });
  expect(judge.compared).toEqual({ notIn: expect.any(String), uniqueAgainst: {} });
});

test('a dataset that rows are compared with has the compared columns', () => {
  expect(() => requireCompared('/other', { q: 1, r: null }, EXACT)).not.toThrow();
  expect(() => requireCompared('/other', { q: 1 }, EXACT)).toThrow("'r'");
  const rules: PlannedSelect = { ...NONE, unique: [{ kind: 'embedding', column: 'v', threshold: 0.9 }] };
  expect(() => requireCompared('/other', { q: 1 }, rules)).toThrow("'v'");
});
