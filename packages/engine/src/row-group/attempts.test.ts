import { expect, test } from 'vitest';
import { type CellValue, DataDesignerError, field, type PlannedAttempts, printable, Random } from '@data-designer/core';
import { endsAttempt, keptOf, type MadeAttempt, makeAttempts, writeKept } from './attempts.ts';
import type { AttemptBlock } from './prepare-plan.ts';

const FAILED = new DataDesignerError('attempts/exhausted', { block: 'x', attempts: 1, reason: 'no' });

function blockOf(planned: Partial<PlannedAttempts> = {}): AttemptBlock {
  const { keep = 'first' } = planned;
  const scored = ['solve__attempts', 'solve__score', 'solve__chosen', 'solve__rejected'];
  const names = {
    first: scored.slice(0, 1),
    all: ['solve__attempts', 'solve__all'],
    best: scored.slice(0, 2),
    pair: scored,
  };
  return {
    planned: {
      name: 'solve',
      columns: ['text', 'secret', '_attempts_solve'],
      decision: '_attempts_solve',
      keep,
      max: 4,
      onExhausted: 'drop_row',
      writes: names[keep].map((name) => field(name, name === 'solve__score' ? 'float64' : 'int64')),
      ...planned,
    },
    members: [1, 2, 3],
    dataflow: { dependents: [], needs: [] },
    written: ['text', 'secret'],
    stored: ['text'],
    decides: [],
    environments: new Set(),
    random: Random.of(1, 'attempts:solve'),
  };
}

/** An attempt with a verdict or a score, or one that failed. */
function attempt(decision: string | number | null, text = `text of ${decision}`): MadeAttempt {
  const row = { id: 7, text, secret: 'hidden', _attempts_solve: decision };
  return { row, failure: undefined, failures: [], cells: { made: [], failed: [] }, skipped: new Set() };
}

function failed(): MadeAttempt {
  return { ...attempt(null, 'half made'), failure: FAILED };
}

/** Makes these attempts, and says which were made. */
async function make(planned: Partial<PlannedAttempts>, attempts: readonly (MadeAttempt | Error | undefined)[]) {
  const numbers: number[] = [];
  const made = await makeAttempts(blockOf(planned), (number) => {
    numbers.push(number);
    const one = attempts[number];
    return one instanceof Error ? Promise.reject(one) : Promise.resolve(one);
  });
  return { numbers, made };
}

const [no, yes] = [attempt('False'), attempt('True')];

test('keep first makes attempts until one is accepted, or the most', async () => {
  expect(await make({}, [no, failed(), yes, no])).toMatchObject({ numbers: [0, 1, 2], made: { length: 3 } });
  expect(await make({}, [no, no, no, no, yes])).toMatchObject({ numbers: [0, 1, 2, 3], made: { length: 4 } });
  expect(await make({ max: 1 }, [no, yes])).toMatchObject({ numbers: [0], made: { length: 1 } });
  const half = { ...yes, failure: FAILED };
  expect((await make({ max: 2 }, [half, yes])).numbers).toEqual([0, 1]);
  expect((await make({ max: 2, decision: null }, [yes, yes])).numbers).toEqual([0, 1]);
});

test('other ways to keep make all attempts at once', async () => {
  for (const keep of ['best', 'pair', 'all'] as const)
    expect(await make({ keep }, [yes, no, failed(), yes])).toMatchObject({
      numbers: [0, 1, 2, 3],
      made: { length: 4 },
    });
});

test('where the journal ends within an attempt, none is kept', async () => {
  expect((await make({}, [no, undefined, yes])).made).toBeUndefined();
  expect((await make({ keep: 'best' }, [no, undefined, yes, yes])).made).toBeUndefined();
});

test('a failure of the row ends all attempts, once those under way have ended', async () => {
  await expect(make({}, [no, FAILED, yes])).rejects.toBe(FAILED);
  let ended = 0;
  const slow = makeAttempts(blockOf({ keep: 'all' }), async (number) => {
    if (number === 0) throw FAILED;
    await Promise.resolve();
    ended++;
    return yes;
  });
  await expect(slow).rejects.toBe(FAILED);
  expect(ended).toBe(3);
});

test.each([
  ['model/no-final-answer', true],
  ['model/rejected', true],
  ['template/record', true],
  ['validator/bad-answer', true],
  ['cell/killed-worker', true],
  ['model/timed-out', false],
  ['model/unreachable', false],
  ['model/server-error', false],
  ['validator/failed', false],
  ['attempts/undecided', false],
  ['journal/ends', false],
  ['select/refused', false],
  ['run/over', false],
  ['run/cell-failed', false],
  ['model/unauthorized', false],
] as const)('%s ends its attempt alone: %s', (code, ends) => {
  expect(endsAttempt(new DataDesignerError(code, { reason: '', found: '' }))).toBe(ends);
});

const random = () => Random.of(1, 'ties').at(0);
const kept = (planned: Partial<PlannedAttempts>, made: readonly MadeAttempt[]) =>
  keptOf(blockOf(planned), made, random());

test('keep first keeps the accepted attempt, or says why there is none', () => {
  expect(kept({}, [no, yes])).toEqual({ kept: yes, written: [2], reason: undefined });
  expect(kept({}, [yes, no])).toEqual({ kept: no, written: [2], reason: "'until' refused it." });
  expect(kept({}, [no, failed()])).toEqual({ kept: no, written: [2], reason: FAILED.message });
  expect(kept({}, [failed()])).toEqual({ kept: undefined, written: [1], reason: FAILED.message });
});

test('keep all stores the attempts that have values, without dropped columns', () => {
  const [a, b] = [attempt(null, 'a'), attempt(null, 'b')];
  const all = [{ text: 'a' }, { text: 'b' }];
  expect(kept({ keep: 'all' }, [failed(), a, b])).toEqual({ kept: a, written: [3, all], reason: undefined });
  expect(kept({ keep: 'all' }, [failed()])).toEqual({ kept: undefined, written: [1, []], reason: FAILED.message });
});

test('keep best keeps the highest score; attempts without a finite score or without values do not count', () => {
  const made = [
    attempt(1),
    attempt(5),
    attempt(Infinity),
    attempt(null),
    attempt(-3),
    { ...attempt(9), failure: FAILED },
  ];
  expect(kept({ keep: 'best' }, made)).toEqual({ kept: made[1], written: [6, 5], reason: undefined });
  const negative = [attempt(-3), attempt(-1)];
  expect(kept({ keep: 'best' }, negative)).toMatchObject({ kept: negative[1], written: [2, -1] });
  const none = [attempt(NaN, 'a'), attempt(null, 'b')];
  expect(kept({ keep: 'best' }, none)).toEqual({ kept: none[1], written: [2, null], reason: 'it has no score.' });
  expect(kept({ keep: 'best' }, [failed()])).toMatchObject({ kept: undefined, reason: FAILED.message });
});

test('keep pair keeps the highest and the lowest score; equal scores make no pair', () => {
  const made = [attempt(2), attempt(4), attempt(1), failed()];
  expect(kept({ keep: 'pair' }, made)).toEqual({
    kept: made[1],
    written: [4, 4, { text: 'text of 4', score: 4 }, { text: 'text of 1', score: 1 }],
    reason: undefined,
  });
  const equal = [attempt(3, 'a'), attempt(3, 'b')];
  const reason = 'all attempts with a score have the score 3.';
  expect(kept({ keep: 'pair' }, equal)).toEqual({ kept: equal[1], written: [2, 3, null, null], reason });
  expect(kept({ keep: 'pair' }, [attempt(3), failed()])).toMatchObject({ written: [2, 3, null, null] });
  const nothing = { written: [1, null, null, null], reason: 'it has no score.' };
  expect(kept({ keep: 'pair' }, [attempt(null)])).toMatchObject(nothing);
});

/** How often each attempt is drawn in 10,000 rows, as chi-squared of an equal chance for each. */
function chiSquared(drawn: (random: Random) => MadeAttempt | undefined, made: readonly MadeAttempt[]): number {
  const rows = 10_000;
  const counts = new Map<MadeAttempt | undefined, number>();
  const draws = Random.of(3, 'attempts:solve');
  for (let row = 0; row < rows; row++) {
    const one = drawn(draws.copy().at(row, 0, 1));
    counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  const expected = rows / made.length;
  return made.reduce((sum, one) => sum + ((counts.get(one) ?? 0) - expected) ** 2 / expected, 0);
}

/** Of four and of three classes, with p = 0.01. */
const [LIMIT_OF_4, LIMIT_OF_3] = [11.345, 9.21];

test('among equal scores no attempt is preferred for its number', () => {
  const equal = ['a', 'b', 'c', 'd'].map((text) => attempt(3, text));
  expect(chiSquared((draws) => keptOf(blockOf({ keep: 'best' }), equal, draws).kept, equal)).toBeLessThan(LIMIT_OF_4);
  const low = ['a', 'b', 'c'].map((text) => attempt(1, text));
  const rejected = (draws: Random) => {
    const { written } = keptOf(blockOf({ keep: 'pair' }), [...low, attempt(2)], draws);
    const { text } = written[3] as { text: string };
    return low.find(({ row }) => row['text'] === text);
  };
  expect(chiSquared(rejected, low)).toBeLessThan(LIMIT_OF_3);
});

/** An attempt with a column that is named score. */
const scored = (score: number) => ({ ...attempt(score), row: { ...attempt(score).row, score: `of ${score}` } });

test('a column named score stays in the pair', () => {
  const block = { ...blockOf({ keep: 'pair' }), stored: ['text', 'score'] };
  const { written } = keptOf(block, [scored(1), scored(2)], random());
  expect(written.slice(2)).toEqual([
    { text: 'text of 2', score: 'of 2' },
    { text: 'text of 1', score: 'of 1' },
  ]);
});

function write(planned: Partial<PlannedAttempts>, made: readonly MadeAttempt[]) {
  const row: Record<string, CellValue> = { id: 1, other: 'stays', text: 'old' };
  const block = blockOf(planned);
  const standing = writeKept(block, row, { ...keptOf(block, made, random()), floats: new Set(['solve__score']) });
  return { row, standing };
}

test('the row gets the values of the kept attempt and of the block, and keeps all others', () => {
  const { row, standing } = write({ keep: 'best' }, [attempt(1), attempt(4)]);
  expect(standing?.row['_attempts_solve']).toBe(4);
  expect(row).toEqual({
    id: 1,
    other: 'stays',
    text: 'text of 4',
    secret: 'hidden',
    solve__attempts: 2,
    solve__score: printable(4, true),
  });
});

test('without an accepted attempt the row has the last one or nothing, as on_exhausted says', () => {
  const { row, standing } = write({ onExhausted: 'keep_last' }, [no, failed()]);
  expect([row['text'], row['solve__attempts'], standing]).toEqual(['text of False', 2, no]);
  for (const onExhausted of ['null', 'drop_row'] as const)
    expect(write({ onExhausted }, [no, no])).toEqual({
      row: { id: 1, other: 'stays', text: null, secret: null, solve__attempts: 2 },
      standing: undefined,
    });
});

test.each([
  { became: 'accepted', made: attempt('True', 'made'), onExhausted: 'null', text: 'made' },
  { became: 'refused', made: attempt('False', 'made'), onExhausted: 'null', text: null },
  { became: 'refused and kept', made: attempt('False', 'made'), onExhausted: 'keep_last', text: 'made' },
  { became: 'failed', made: failed(), onExhausted: 'keep_last', text: null },
] as const)('an only attempt on the row itself leaves its values or none: $became', ({ made, onExhausted, text }) => {
  const block = blockOf({ max: 1, onExhausted });
  const row = { ...made.row };
  writeKept(block, row, { ...keptOf(block, [{ ...made, row }], random()), floats: new Set() });
  expect(row).toMatchObject({ id: 7, text, secret: text === null ? null : 'hidden', solve__attempts: 1 });
});
