import { expect, test } from 'vitest';
import { sampleRows, samplePositions } from './sample-rows.ts';

/** The positions that a sample of a table asks for; undefined for all. */
async function asked(
  table: { readonly records: number; readonly bytes: number },
  size: number,
): Promise<readonly number[] | undefined> {
  let found: readonly number[] | undefined;
  const statistics = {
    records: table.records,
    rowBytes: () => Promise.resolve(table.bytes),
    rows: (_: unknown, positions?: readonly number[]) => {
      found = positions;
      return Promise.resolve([]);
    },
  };
  await sampleRows(statistics, { size, characters: 1000, fields: [] });
  return found;
}

test('a sample of long rows has every nth of them, so that it has about the characters asked for', async () => {
  expect(await asked({ records: 10, bytes: 100 }, 20)).toBeUndefined();
  expect(await asked({ records: 10, bytes: 300 }, 20)).toEqual([0, 3, 6, 9]);
  const sampled = samplePositions(50, 20);
  expect(await asked({ records: 50, bytes: 50 }, 20)).toEqual(sampled);
  expect(await asked({ records: 50, bytes: 100 }, 20)).toEqual(sampled.filter((_, index) => index % 2 === 0));
});
