import { expect, test } from 'vitest';
import { addCosts, costCell, describeCost } from './describe-cost.ts';

const priced = { requests: 3, cost: 0.12 };
const unpriced = { requests: 2, cost: null };

test('a missing price leaves the known part, and names the model', () => {
  const cost = addCosts({ writer: priced, judge: unpriced });
  expect(cost).toEqual({ known: 0.12, unpriced: ['judge'] });
  expect(describeCost(cost)).toBe("0.12 + unknown ('judge' has no price)");
  expect(costCell(cost)).toBe('0.12 + unknown');
  expect(describeCost(addCosts({ writer: priced, judge: unpriced, critic: unpriced }))).toBe(
    "0.12 + unknown ('judge', 'critic' have no price)",
  );
});

test('a model without requests needs no price', () => {
  const cost = addCosts({ writer: priced, judge: { requests: 0, cost: null } });
  expect(describeCost(cost)).toBe('0.12');
  expect(costCell(cost)).toBe('0.12');
});

test('without any price nothing is known, and without any request nothing was spent', () => {
  expect(addCosts({ judge: unpriced })).toEqual({ known: null, unpriced: ['judge'] });
  expect(describeCost(addCosts({ judge: unpriced }))).toBeUndefined();
  expect(costCell(addCosts({ judge: unpriced }))).toBe('unknown');
  expect(costCell(addCosts({}))).toBe('0.00');
});
