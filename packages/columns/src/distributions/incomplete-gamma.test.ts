import { expect, test } from 'vitest';
import { incompleteGamma, type Part } from './incomplete-gamma.ts';

// Computed by mpmath with 40 digits.
test.each<[a: number, x: number, part: Part, known: number]>([
  [19.9, 6.292932543735074e-6, 'lower', 1.7463151215637405e-122],
  [19.9, 33.28282481391727, 'upper', 0.004933879370595663],
  [0.001, 0.0023, 'upper', 0.005485647524465009],
  [1000000000.0, 1000031622.7766017, 'upper', 0.15865525389121843],
  [20, 20.0, 'upper', 0.47025726683923996],
  [1000.0, 841.886116991581, 'lower', 6.452819590446866e-8],
  [0.5, 0.4292893218813452, 'lower', 0.645863246109669],
  [0.001, 0.00025, 'lower', 0.9923118007850289],
  [0.001, 0.09586832980505137, 'lower', 0.9981398178298501],
  [0.001, 1e-6, 'lower', 0.9868481336940766],
  [20, 20.447213595499957, 'upper', 0.43103087971635345],
  [1000.0, 1205.5480479109447, 'upper', 4.925395388105303e-10],
  [19.9, 24.36094160463909, 'upper', 0.15690592109258916],
  [0.001, 0.03262277660168379, 'lower', 0.9971254617551286],
  [0.5, 1.15, 'upper', 0.12937399883629824],
  [1000.0, 1003.1622776601683, 'upper', 0.45603291645919264],
])('matches mpmath for %d at %d, %s part', (...[a, x, part, known]) => {
  expect(incompleteGamma(a)(x, part) / known).toBeCloseTo(1, 11);
});

test('is 0 or 1 at and beyond the ends of its range', () => {
  const incomplete = incompleteGamma(3);
  expect([incomplete(0, 'lower'), incomplete(-1, 'upper')]).toEqual([0, 1]);
  expect([incomplete(Infinity, 'lower'), incomplete(Infinity, 'upper')]).toEqual([1, 0]);
});

test('the lower and upper parts sum to 1 around each change of formula', () => {
  for (const a of [1e-6, 0.7, 19.99, 20, 20.01, 5e4]) {
    const incomplete = incompleteGamma(a);
    for (const x of [0.299 * a, 0.301 * a, 0.99 * a, a, a + 1, 1.01 * (a + 1), 2.34 * a, 2.36 * a]) {
      expect(incomplete(x, 'lower') + incomplete(x, 'upper')).toBeCloseTo(1, 13);
    }
  }
});

test('does not jump where the formula changes', () => {
  const incomplete = incompleteGamma(40);
  for (const x of [0.3 * 40, 2.35 * 40]) {
    const part = x < 40 ? 'lower' : 'upper';
    expect(incomplete(x * (1 + 1e-13), part) / incomplete(x * (1 - 1e-13), part)).toBeCloseTo(1, 10);
  }
});
