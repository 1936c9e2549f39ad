import { expect, test } from 'vitest';
import { ErrorRate } from './error-rate.ts';

const LIMIT = { rate: 0.5, window: 10 };

/** Running totals of one column of a group. */
const counts = (made: number, failed: number, { group = 0, passing = 0 } = {}) => ({
  group,
  cells: { a: { made, failed, passing } },
});

test('ten failures in the first ten cells end the run, nine do not', () => {
  const errors = new ErrorRate(LIMIT);
  expect(errors.take(counts(0, 9))).toBe(false);
  expect(errors.take(counts(0, 10))).toBe(true);
  expect(errors.failure()).toMatchObject({
    code: 'run/stopped-early',
    data: { column: 'a', failed: 10, cells: 10, cause: '' },
  });
});

test.each([
  ['template/record', true],
  ['model/gave-up', undefined],
] as const)('the end tells whether cells that failed with %s fail again', (code, failsAgain) => {
  const errors = new ErrorRate(LIMIT);
  const failures = [{ column: 'a', row: 0, code, message: 'No.', messages: [], onFailure: 'drop_row' as const }];
  errors.take({ ...counts(0, 10), failures });
  const failure = errors.failure();
  expect(failure.data).toMatchObject({ code });
  expect((failure.data as { failsAgain?: true }).failsAgain).toBe(failsAgain);
  expect(failure.message.includes('--retry-lost')).toBe(failsAgain === undefined);
});

test('transient failures count neither as failures nor as successes', () => {
  const errors = new ErrorRate(LIMIT);
  expect(errors.take(counts(0, 9, { passing: 1000 }))).toBe(false);
  expect(errors.take(counts(0, 10, { passing: 2000 }))).toBe(true);
});

test('cells of attempts that stand for no row count neither as failures nor as successes', () => {
  const errors = new ErrorRate(LIMIT, [
    [0, { cells: { a: { made: 0, failed: 30, passing: 0, attempted: { made: 0, failed: 25 } } } }],
  ]);
  const take = (failed: number, attempted: number) =>
    errors.take({
      group: 0,
      cells: { a: { made: 900, failed, passing: 0, attempted: { made: 900, failed: attempted } } },
    });
  expect(take(200, 195)).toBe(false);
  expect(take(200, 186)).toBe(false);
  expect(take(200, 185)).toBe(true);
  expect(errors.failure()).toMatchObject({ data: { failed: 10, cells: 10 } });
});

test('a burst of failures does not end a long run, but a lasting failure does', () => {
  const errors = new ErrorRate(LIMIT);
  for (let made = 10; made <= 10_000; made += 10) errors.take(counts(made, 0));
  // The window holds a thousand cells now.
  for (let failed = 10; failed <= 400; failed += 10) expect(errors.take(counts(10_000, failed))).toBe(false);
  let failed = 400;
  while (!errors.take(counts(10_000, failed))) failed += 10;
  expect(failed).toBeGreaterThanOrEqual(500);
  expect(failed).toBeLessThan(700);
});

test('old cells leave the window: a run that starts to fail ends although it made most of its cells', () => {
  const errors = new ErrorRate(LIMIT);
  for (let made = 1000; made <= 100_000; made += 1000) errors.take(counts(made, 0));
  let failed = 0;
  while (!errors.take(counts(100_000, failed))) failed += 100;
  expect(failed).toBeLessThan(7000);
});

test('totals of several groups add up, and a group that starts again counts once', () => {
  const errors = new ErrorRate(LIMIT);
  expect(errors.take(counts(0, 5, { group: 1 }))).toBe(false);
  for (let failed = 0; failed <= 4; failed++) expect(errors.take(counts(0, failed))).toBe(false);
  for (let failed = 0; failed <= 4; failed++) expect(errors.take(counts(0, failed))).toBe(false);
  expect(errors.take(counts(0, 5))).toBe(true);
});

test('a failure share below the rate never ends the run, one well above it soon does', () => {
  // A fixed pseudo-random sequence.
  let state = 1;
  const draw = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const cellsUntilEnd = (share: number): number => {
    const errors = new ErrorRate(LIMIT);
    let failed = 0;
    for (let cells = 1; cells <= 20_000; cells++) {
      if (draw() < share) failed++;
      if (errors.take(counts(cells - failed, failed))) return cells;
    }
    return Infinity;
  };
  for (let run = 0; run < 20; run++) expect(cellsUntilEnd(0.3)).toBe(Infinity);
  for (let run = 0; run < 20; run++) expect(cellsUntilEnd(0.8)).toBeLessThan(200);
});

test('after sixty successes twenty failures are a burst, forty end the run', () => {
  const errors = new ErrorRate(LIMIT);
  for (let made = 1; made <= 60; made++) errors.take(counts(made, 0));
  for (let failed = 1; failed <= 20; failed++) expect(errors.take(counts(60, failed))).toBe(false);
  expect(errors.take(counts(60, 40))).toBe(true);
});

test('failures of an earlier run are not counted again when a resumed run repeats them', () => {
  const errors = new ErrorRate(LIMIT, [[0, { cells: { a: { made: 3, failed: 40, passing: 0 } } }]]);
  expect(errors.take(counts(3, 40))).toBe(false);
  expect(errors.take(counts(3, 49))).toBe(false);
  expect(errors.take(counts(3, 50))).toBe(true);
});

test('a column reaches the limit regardless of the others, and its first failure is the cause', () => {
  const errors = new ErrorRate(LIMIT);
  const cells = { a: { made: 5000, failed: 0, passing: 0 }, b: { made: 1, failed: 19, passing: 0 } };
  const failure = { row: 1, column: 'b', code: 'model/bad-answer', onFailure: 'null', messages: [] } as const;
  const failures = [
    { ...failure, message: 'No answer.' },
    { ...failure, message: 'Another.' },
  ];
  expect(errors.take({ group: 0, cells, failures })).toBe(true);
  expect(errors.failure().message).toContain(
    `19 of the last 20 cells of column 'b' failed: No answer. Correct the cause`,
  );
});

test('a run without a failure continues even at rate 0', () => {
  const errors = new ErrorRate({ rate: 0, window: 1 });
  expect(errors.take(counts(100, 0))).toBe(false);
  expect(errors.take(counts(100, 1))).toBe(true);
});
