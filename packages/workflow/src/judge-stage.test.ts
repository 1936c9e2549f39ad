import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DatasetConfig } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { testFolder } from '@data-designer/testing/test-folder';
import type { PreparedInput } from './stage-input.ts';
import { growthOf, identityOfStage, type InputGrowth, isRefused, judgeStage } from './judge-stage.ts';
import type { StageIdentity, StageRecord } from './workflow-metadata.ts';

const folder = testFolder('judge');

const WAS: StageIdentity = { config: 'c', rows: 10, input: 'i', seed: 1 };

function recorded(more: Partial<StageRecord> = {}): StageRecord {
  return { identity: WAS, status: 'completed', ...more } as StageRecord;
}

interface Case {
  readonly now?: Partial<StageIdentity>;
  readonly record?: Partial<StageRecord>;
  readonly growth?: InputGrowth;
}

const judge = ({ now = {}, record = {}, growth }: Case) =>
  judgeStage(recorded(record), { ...WAS, ...now }, { folder, isForced: false, growth });

test('a stage without a folder is made, and one without a record is replaced', () => {
  expect(judgeStage(recorded(), WAS, { folder: join(folder, 'none'), isForced: true })).toEqual({ action: 'make' });
  expect(judgeStage(undefined, WAS, { folder, isForced: false })).toMatchObject({
    action: 'replace',
    reason: expect.stringContaining('does not record it'),
  });
  expect(judgeStage(recorded(), WAS, { folder, isForced: true })).toMatchObject({ reason: 'rerunFrom makes it again' });
});

test.each<readonly [string, Case, string]>([
  ['another config', { now: { config: 'd' } }, 'its config has changed'],
  ['another input', { now: { input: 'j' } }, 'its input has changed'],
  ['a longer input', { now: { input: 'j' }, growth: { against: 'why' } }, 'its input has more rows, and why'],
  ['another seed', { now: { seed: 2 } }, 'the seed is 2, not 1'],
  ['a seed for a random one', { record: { identity: { ...WAS, seed: null } } }, 'the seed is 1, not random'],
  ['fewer rows', { now: { rows: 9 } }, 'it has 10 rows, and 9 are requested'],
])('a stage with %s is replaced', (_, given, reason) => {
  expect(judge(given)).toEqual({ action: 'replace', reason });
});

test('an unchanged stage is reused once it is complete, with or without rows, and else continued', () => {
  expect(judge({})).toEqual({ action: 'reuse' });
  expect(judge({ record: { status: 'completed_empty' } })).toEqual({ action: 'reuse' });
  expect(judge({ now: { seed: null } })).toEqual({ action: 'reuse' });
  expect(judge({ record: { status: 'running' } })).toEqual({ action: 'continue', extendsInput: false });
  expect(judge({ now: { rows: 11 } })).toEqual({ action: 'continue', extendsInput: false });
});

test('a stage continues with a longer input, also where a killed run has recorded that', () => {
  const growth = { against: undefined };
  expect(judge({ now: { input: 'j', rows: 11 }, growth })).toEqual({ action: 'continue', extendsInput: true });
  expect(judge({ now: { rows: 11 }, record: { extends_input: true } })).toEqual({
    action: 'continue',
    extendsInput: true,
  });
});

test('only a resume that must continue refuses a replacement, unless it is asked for', () => {
  const replace = { action: 'replace', reason: '' } as const;
  expect(isRefused(replace, 'always', false)).toBe(true);
  expect(isRefused(replace, 'always', true)).toBe(false);
  expect(isRefused(replace, 'if_possible', false)).toBe(false);
  expect(isRefused({ action: 'reuse' }, 'always', false)).toBe(false);
});

const inputOf = (rows: number | undefined) =>
  ({
    content: 'new',
    rowsOf: (content: string) => Promise.resolve(content === 'i' ? rows : undefined),
  }) as never as PreparedInput;
const compiledOf = (plan: Partial<Plan> = {}, seedConfig?: object) =>
  ({ plan: { processors: [], ...plan }, config: { seedConfig } as never as DatasetConfig }) as never as Parameters<
    typeof growthOf
  >[2];

test('an input has grown where it begins with the rows of the recorded one', async () => {
  expect(await growthOf(recorded(), inputOf(10), compiledOf())).toEqual({ against: undefined });
  expect(await growthOf(recorded(), inputOf(undefined), compiledOf())).toBeUndefined();
  expect(await growthOf(undefined, inputOf(10), compiledOf())).toBeUndefined();
  expect(await growthOf(recorded(), undefined, compiledOf())).toBeUndefined();
  const same = { ...inputOf(10), content: 'i' };
  expect(await growthOf(recorded(), same, compiledOf())).toBeUndefined();
});

interface GrowthCase {
  readonly input?: PreparedInput;
  readonly compiled?: ReturnType<typeof compiledOf>;
}

test.each<readonly [string, GrowthCase, string]>([
  ['a selection', { compiled: compiledOf({ select: {} as never }) }, 'its selection'],
  [
    'a processor of all rows',
    { compiled: compiledOf({ processors: [{ stage: 'after_generation' } as never] }) },
    'a processor',
  ],
  ['shuffled rows', { compiled: compiledOf({}, { samplingStrategy: 'shuffle' }) }, 'its rows read those'],
  ['a part of the input', { compiled: compiledOf({}, { selectionStrategy: {} }) }, 'its rows read those'],
  ['rows that wrap around', { input: inputOf(9) }, 'some of its rows'],
])(
  'a stage with %s is made again when its input grows',
  async (_, { input = inputOf(10), compiled = compiledOf() }, reason) => {
    expect((await growthOf(recorded(), input, compiled))?.against).toContain(reason);
  },
);

test('a processor of each batch does not keep a stage from growing', async () => {
  const compiled = compiledOf({ processors: [{ stage: 'post_batch' } as never] });
  expect(await growthOf(recorded(), inputOf(10), compiled)).toEqual({ against: undefined });
});

const seed = (rows: object) => [{ id: 'seed', rows }] as never;

test('the identity of a stage has the content of its input, else of its own seed', async () => {
  const plan = { identity: 'p' } as Plan;
  const asked = { rows: 3, seed: 7 };
  expect(await identityOfStage({ plan, tables: [] }, inputOf(1), asked)).toEqual({
    config: 'p',
    input: 'new',
    ...asked,
  });
  expect((await identityOfStage({ plan, tables: [] }, undefined, asked)).input).toBe('');
  const hashed = seed({ files: [], hash: () => Promise.resolve('h'), revision: 'r' });
  expect((await identityOfStage({ plan, tables: hashed }, undefined, asked)).input).toBe('h');
  const revised = seed({ files: [], revision: 'r' });
  expect((await identityOfStage({ plan, tables: revised }, undefined, asked)).input).toBe('r');
  const filed = seed({ files: [{ path: import.meta.filename }] });
  expect((await identityOfStage({ plan, tables: filed }, undefined, asked)).input).toMatch(/^[\da-f]{16,}$/);
});
