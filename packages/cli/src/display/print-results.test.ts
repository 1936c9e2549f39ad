import { expect, test } from 'vitest';
import { noUsage } from '@data-designer/models';
import { usageLines } from './print-results.ts';

const used = (cost: number | null) => ({ ...noUsage(), requests: 3, cost, columns: {} });

test('the last line has the known cost, and names the models without a price', () => {
  expect(usageLines({ writer: used(0.12), judge: used(null) })).toEqual([
    'writer: 3 requests, 0 input tokens, 0 output tokens, cost 0.12',
    'judge: 3 requests, 0 input tokens, 0 output tokens',
    "Cost: 0.12 + unknown ('judge' has no price)",
  ]);
  expect(usageLines({ writer: used(0), judge: used(null) }).at(-1)).toBe("Cost: 0.00 + unknown ('judge' has no price)");
  expect(usageLines({ writer: used(0.12), judge: used(0.03) }).at(-1)).toBe('Cost: 0.15');
});

test('models without any price, and free ones, have no cost', () => {
  expect(usageLines({ judge: used(null) })).toHaveLength(1);
  expect(usageLines({ judge: used(0) })).toHaveLength(1);
});
