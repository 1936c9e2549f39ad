import { expect, test } from 'vitest';
import { ErrorRate } from './error-rate.ts';

const LIMIT = { rate: 0.5, window: 10 };

/** Whole counts of one column of a group. */
const counts = (made: number, failed: number, { group = 0, passing = 0 } = {}) => ({
  group,
  cells: { a: { made, failed, passing } },
});

test('ten failures of ten end a run at its very start; fewer cells say nothing yet', () => {
  const errors = new ErrorRate(LIMIT);
  expect(errors.take(counts(0, 9))).toBe(false);
  expect(errors.take(counts(0, 10))).toBe(true);
  expect(errors.failure()).toMatchObject({
    code: 'run/stopped-early',
    data: { column: 'a', failed: 10, cells: 10, cause: '' },
  });
});

test('failures that may pass are no failures, and no successes either', () => {
  const errors = new ErrorRate(LIMIT);
  expect(errors.take(counts(0, 9, { passing: 1000 }))).toBe(false);
  expect(errors.take(counts(0, 10, { passing: 2000 }))).toBe(true);
});

test('a burst does not end a long run, but going on like that does', () => {
  const errors = new ErrorRate(LIMIT);
  for (let made = 10; made <= 10_000; made += 10) errors.take(counts(made, 0));
  // The window holds a thousand cells by now.
  for (let failed = 10; failed <= 400; failed += 10) expect(errors.take(counts(10_000, failed))).toBe(false);
  let failed = 400;
  while (!errors.take(counts(10_000, failed))) failed += 10;
  expect(failed).toBeGreaterThanOrEqual(500);
  expect(failed).toBeLessThan(700);
});

test('what was long ago is forgotten: a run that fails at last ends though most of it was made', () => {
  const errors = new ErrorRate(LIMIT);
  for (let made = 1000; made <= 100_000; made += 1000) errors.take(counts(made, 0));
  let failed = 0;
  while (!errors.take(counts(100_000, failed))) failed += 100;
  expect(failed).toBeLessThan(7000);
});

test('whole counts of several groups add up, and a group that begins again counts once', () => {
  const errors = new ErrorRate(LIMIT);
  expect(errors.take(counts(0, 5, { group: 1 }))).toBe(false);
  for (let failed = 0; failed <= 4; failed++) expect(errors.take(counts(0, failed))).toBe(false);
  for (let failed = 0; failed <= 4; failed++) expect(errors.take(counts(0, failed))).toBe(false);
  expect(errors.take(counts(0, 5))).toBe(true);
});

test('a share that is below the rate ends nothing by chance, one that is well above soon does', () => {
  // A fixed sequence that looks like chance.
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

test('ten failures after sixty cells that were made are a burst, forty are not', () => {
  const errors = new ErrorRate(LIMIT);
  for (let made = 1; made <= 60; made++) errors.take(counts(made, 0));
  for (let failed = 1; failed <= 20; failed++) expect(errors.take(counts(60, failed))).toBe(false);
  expect(errors.take(counts(60, 40))).toBe(true);
});

test('what an earlier run left is not counted again when it is made again', () => {
  const errors = new ErrorRate(LIMIT, [[0, { cells: { a: { made: 3, failed: 40, passing: 0 } } }]]);
  expect(errors.take(counts(3, 40))).toBe(false);
  expect(errors.take(counts(3, 49))).toBe(false);
  expect(errors.take(counts(3, 50))).toBe(true);
});

test('one column is not outweighed by others, and its first failure is the cause', () => {
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

test('a run without a failure goes on, whatever the rate', () => {
  const errors = new ErrorRate({ rate: 0, window: 1 });
  expect(errors.take(counts(100, 0))).toBe(false);
  expect(errors.take(counts(100, 1))).toBe(true);
});
