import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { RowSpools } from './row-spools.ts';

const NEVER = new AbortController().signal;

test('reads a generator once for all callers', async () => {
  let read = 0;
  async function* rows() {
    for (; read < 3; read++) yield await Promise.resolve({ n: read });
  }
  await using spools = new RowSpools();
  const once = rows();
  const [first, second] = await Promise.all([spools.spool(once, NEVER), spools.spool(once, NEVER)]);
  expect(first).toBe(second);
  expect(await spools.spool(once, NEVER)).toBe(first);
  expect([read, first]).toMatchObject([3, { rows: 3 }]);
});

test('removes its files when disposed', async () => {
  const spools = new RowSpools();
  const spooled = await spools.spool([{ n: 1 }], NEVER);
  const path = 'path' in spooled ? spooled.path : '';
  expect(existsSync(path)).toBe(true);
  await spools[Symbol.asyncDispose]();
  expect(existsSync(dirname(path))).toBe(false);
});

test('refuses a generator that was read in part', async () => {
  const stop = new AbortController();
  function* once() {
    yield { n: 1 };
    stop.abort();
    yield { n: 2 };
    yield { n: 3 };
  }
  await using spools = new RowSpools();
  const rows = once();
  await expect(spools.spool(rows, stop.signal)).rejects.toThrow('aborted');
  expect(await spools.spool(rows, NEVER)).toMatchObject({
    reason: expect.stringContaining('has read a part') as string,
  });
  const again = { [Symbol.iterator]: () => [{ n: 1 }][Symbol.iterator]() };
  await expect(spools.spool(again, AbortSignal.abort())).rejects.toThrow('aborted');
  expect(await spools.spool(again, NEVER)).toMatchObject({ rows: 1 });
});
