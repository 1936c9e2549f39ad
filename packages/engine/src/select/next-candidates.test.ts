import { expect, test } from 'vitest';
import { nextCandidates, wilsonInterval } from './next-candidates.ts';

test('the interval of a share contains it and narrows with the sample', () => {
  const few = wilsonInterval(5, 10);
  const many = wilsonInterval(5000, 10_000);
  expect(few.low).toBeCloseTo(0.2366, 4);
  expect(few.high).toBeCloseTo(0.7634, 4);
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 10);
  expect(wilsonInterval(0, 20).low).toBe(0);
  expect(wilsonInterval(20, 20).high).toBeCloseTo(1, 10);
});

/** Accepts every k-th candidate until there are enough; returns the candidates and the steps. */
function simulate(wanted: number, accepts: (index: number) => boolean, most = Infinity) {
  let decided = 0;
  let accepted = 0;
  let needed = 0;
  let steps = 0;
  while (accepted < wanted && decided < most) {
    const next = nextCandidates({ wanted, accepted, decided, most });
    expect(next).toBeGreaterThan(decided);
    steps++;
    for (; decided < next; decided++) {
      if (accepted < wanted && accepts(decided)) accepted++;
      if (accepted < wanted) needed = decided + 2;
    }
  }
  return { decided, accepted, needed, steps };
}

test.each([
  ['95 %', 20, 19],
  ['50 %', 2, 1],
  ['10 %', 10, 1],
  ['1 %', 100, 1],
])('at %s acceptance, 10,000 rows need under 10 %% of candidates too many, in few steps', (_, every, passing) => {
  // A fixed hash scatters the accepted candidates.
  const { decided, accepted, needed, steps } = simulate(
    10_000,
    (index) => ((index * 2654435761) % 2 ** 32) % every < passing,
  );
  expect(accepted).toBe(10_000);
  expect(decided / needed).toBeLessThan(1.1);
  expect(steps).toBeLessThan(20);
});

test('a step never goes beyond the most candidates', () => {
  expect(simulate(100, () => false, 300)).toMatchObject({ decided: 300, accepted: 0 });
});
