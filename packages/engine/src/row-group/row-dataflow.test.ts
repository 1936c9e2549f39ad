import { expect, test } from 'vitest';
import { runDataflow } from './row-dataflow.ts';

// 0 -> 1 -> 3, 0 -> 2 -> 3
const DIAMOND = { dependents: [[1, 2], [3], [3], []], needs: [0, 1, 1, 2] };

test('a cell starts exactly when the cells it reads are done', async () => {
  const order: string[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const done = runDataflow(DIAMOND, async (cell) => {
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

test('after a failure no further cell starts, and the dataflow rejects with it', async () => {
  const started: number[] = [];
  const flow = runDataflow(DIAMOND, (cell) => {
    started.push(cell);
    return cell === 1 ? Promise.reject(new Error('no 1')) : Promise.resolve(true);
  });
  await expect(flow).rejects.toThrow('no 1');
  expect(started).toEqual([0, 1, 2]);
});

test('a row without cells is done at once', () => {
  expect(runDataflow({ dependents: [], needs: [] }, () => Promise.reject(new Error('never')))).toBe(true);
});

test.each([
  [undefined, true, [0, 1, 2, 3]],
  [2, false, [0, 1, 2]],
])('synchronous cells run in order without a promise; open is %s', (open, isWhole, order) => {
  const started: number[] = [];
  const flow = runDataflow(DIAMOND, (cell) => {
    started.push(cell);
    return cell !== open;
  });
  expect(flow).toBe(isWhole);
  expect(started).toEqual(order);
});

test('synchronous and asynchronous cells run together', async () => {
  const started: number[] = [];
  const flow = runDataflow(DIAMOND, (cell) => {
    started.push(cell);
    return cell === 1 ? Promise.resolve(true) : true;
  });
  expect(started).toEqual([0, 1, 2]);
  await expect(flow).resolves.toBe(true);
  expect(started).toEqual([0, 1, 2, 3]);
});

test('a synchronous failure throws, a later one rejects, and cells in flight then start nothing more', async () => {
  const gate = Promise.withResolvers<boolean>();
  const started: number[] = [];
  const fails = (failing: number) => (cell: number) => {
    started.push(cell);
    if (cell === failing) throw new Error(`no ${cell}`);
    return cell === 1 ? gate.promise : true;
  };
  expect(() => runDataflow(DIAMOND, fails(2))).toThrow('no 2');
  const later = runDataflow(DIAMOND, fails(3));
  gate.resolve(true);
  await expect(later).rejects.toThrow('no 3');
  expect(started).toEqual([0, 1, 2, 0, 1, 2, 3]);
});

test('a chain of ten thousand synchronous cells does not overflow the stack', () => {
  const cells = Array.from({ length: 10_000 }, (_, cell) => cell);
  const chain = {
    dependents: cells.map((cell) => (cell < 9_999 ? [cell + 1] : [])),
    needs: cells.map((cell) => +(cell > 0)),
  };
  expect(runDataflow(chain, () => true)).toBe(true);
});

test('an open cell holds back the cells that read it, the others run, and the row is not whole', async () => {
  const started: number[] = [];
  const flow = runDataflow(DIAMOND, (cell) => {
    started.push(cell);
    return Promise.resolve(cell !== 1);
  });
  await expect(flow).resolves.toBe(false);
  expect(started).toEqual([0, 1, 2]);
});

// 0 -> 2, and 1 independent.
const BESIDE = { dependents: [[2], [], []], needs: [0, 0, 1] };

test.each([
  ['later', () => Promise.reject(new Error('no 1'))],
  [
    'at once',
    () => {
      throw new Error('no 1');
    },
  ],
])('after a failure that comes %s, a cell that ends starts none of its dependents', async (_, fail) => {
  const gate = Promise.withResolvers<boolean>();
  const started: number[] = [];
  const flow = async () =>
    runDataflow(BESIDE, (cell) => {
      started.push(cell);
      return cell === 1 ? fail() : gate.promise;
    });
  await expect(flow()).rejects.toThrow('no 1');
  gate.resolve(true);
  await gate.promise;
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
});
