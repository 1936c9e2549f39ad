import { expect, test } from 'vitest';
import { flowRow } from './row-flow.ts';

// 0 -> 1 -> 3, 0 -> 2 -> 3
const DIAMOND = { dependents: [[1, 2], [3], [3], []], needs: [0, 1, 1, 2] };

test('a cell starts when, and only when, the cells it reads are done', async () => {
  const order: string[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const done = flowRow(DIAMOND, async (cell) => {
    order.push(`start ${cell}`);
    await gates[cell]?.promise;
    order.push(`end ${cell}`);
    return true;
  });
  gates[2]?.resolve();
  gates[0]?.resolve();
  await Promise.resolve();
  gates[3]?.resolve();
  gates[1]?.resolve();
  await done;
  expect(order.indexOf('start 1')).toBeGreaterThan(order.indexOf('end 0'));
  expect(order.indexOf('start 2')).toBeLessThan(order.indexOf('end 1'));
  expect(order.at(-2)).toBe('start 3');
  expect(order).toHaveLength(8);
});

test('after a failure nothing further starts, and the failure is the result', async () => {
  const started: number[] = [];
  const flow = flowRow(DIAMOND, (cell) => {
    started.push(cell);
    return cell === 1 ? Promise.reject(new Error('no 1')) : Promise.resolve(true);
  });
  await expect(flow).rejects.toThrow('no 1');
  expect(started).toEqual([0, 1, 2]);
});

test('a row without cells is done at once', async () => {
  await expect(flowRow({ dependents: [], needs: [] }, () => Promise.reject(new Error('never')))).resolves.toBe(true);
});

test('a cell that is left open keeps back what reads it; the others are made, and the row is not whole', async () => {
  const started: number[] = [];
  const flow = flowRow(DIAMOND, (cell) => {
    started.push(cell);
    return Promise.resolve(cell !== 1);
  });
  await expect(flow).resolves.toBe(false);
  expect(started).toEqual([0, 1, 2]);
});
