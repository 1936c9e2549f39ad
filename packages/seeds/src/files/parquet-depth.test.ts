import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parquetFault } from './parquet-depth.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';

const tides = fileURLToPath(new URL('../../../../test/conformance/data/configs/data/tides.parquet', import.meta.url));

let file: string;

beforeAll(() => {
  file = join(mkdtempSync(join(tmpdir(), 'parquet-depth-')), 'x.parquet');
});

afterAll(() => rmSync(join(file, '..'), { recursive: true }));

/** A varint of thrift. */
const size = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...size(Math.floor(value / 128))];

/** The footer of a file with one column nested in so many groups, in thrift's compact protocol. */
function footer(groups: number): number[] {
  const root = [0x48, 4, ...Buffer.from('root'), 0x15, 2, 0];
  const group = [0x35, 2, 0x18, 1, 0x6e, 0x15, 2, 0];
  const leaf = [0x15, 2, 0x25, 2, 0x18, 1, 0x76, 0];
  const elements = Array.from({ length: groups }, () => group).flat();
  return [0x15, 2, 0x19, 0xfc, ...size(groups + 2), ...root, ...elements, ...leaf, 0x16, 0, 0x19, 0x0c, 0];
}

function writeFile(meta: readonly number[]): void {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(meta.length);
  writeFileSync(file, Buffer.concat([Buffer.from('PAR1'), Uint8Array.from(meta), length, Buffer.from('PAR1')]));
}

test.each([
  [0, false],
  [150, false],
  [250, true],
  [100_000, true],
])('a column nested in %d groups is too deep: %s', { tags: 'long' }, async (groups, tooDeep) => {
  writeFile(footer(groups));
  expect((await parquetFault(file)) !== undefined).toBe(tooDeep);
});

test('accepts files of two writers, whatever their number of columns', async () => {
  const columns = Array.from({ length: 500 }, (_, n) => `{'a': [{'b': ${n}}], 'c': MAP {'d': 1}} AS c${n}`).join(', ');
  await withDuckDb((connection) => connection.run(`COPY (SELECT ${columns}) TO '${file}'`));
  expect([await parquetFault(file), await parquetFault(tides)]).toEqual([undefined, undefined]);
});

test('refuses decimals of more digits than DuckDB reads', async () => {
  const decimal = [0x15, 14, 0x15, 34, 0x15, 2, 0x18, 1, 0x64, 0x25, 10, 0x15, 4, 0x15, 100, 0];
  const root = [0x48, 4, ...Buffer.from('root'), 0x15, 2, 0];
  writeFile([0x15, 2, 0x19, 0x2c, ...root, ...decimal, 0x16, 0, 0x19, 0x0c, 0]);
  expect(await parquetFault(file)).toBe("column 'd' has decimals of 50 digits, more than 38");
});

test.each([
  ['a file that is not Parquet', [], Buffer.from('a,b\n1,2\n and more')],
  ['a file that is too short', [], Buffer.from('PAR1')],
])('accepts %s, as its depth is unknown', async (_, meta, bytes) => {
  writeFile(meta);
  writeFileSync(file, bytes);
  expect(await parquetFault(file)).toBeUndefined();
});

test('reports a torn footer', async () => {
  writeFile(footer(5).slice(0, 30));
  await expect(parquetFault(file)).rejects.toThrow('its footer is damaged');
});
