import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ValueStore } from './value-store.ts';

test('keeps the first values in memory and the others in a file that it deletes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'value-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lengths = [10, 0, 700_000, 400_000, 1_048_576, 5_000_000, 3, 1_000_000, 0, 900_000];
  const values = lengths.map((length, number) => new Uint8Array(length).map((_, at) => at * 31 + number));
  {
    using store = new ValueStore({ memoryBytes: 2 ** 20, folder });
    for (const [number, value] of values.entries()) {
      store.add(value);
      for (let earlier = 0; earlier <= number; earlier++) {
        expect(Buffer.compare(store.read(earlier), values[earlier] ?? new Uint8Array())).toBe(0);
      }
    }
    expect(readdirSync(folder)).toHaveLength(1);
  }
  expect(readdirSync(folder)).toEqual([]);
});
