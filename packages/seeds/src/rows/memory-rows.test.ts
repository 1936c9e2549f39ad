import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arrowOfRows } from '../arrow/arrow-of-rows.ts';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { arrayRows } from './memory-rows.ts';

test('bytes in an array of rows are Base64 text, by which equal rows are known', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'memory-rows-'));
  try {
    const bytes = Buffer.from('ab');
    const rows = [{ raw: bytes, file: { bytes, path: null } }, { raw: null }];
    const fields = arrowOfRows(rows);
    if ('what' in fields) throw new Error(fields.what);
    const source = arrayRows(rows, fields);
    const { sql } = await source.open({ scratch, signal: new AbortController().signal });
    const read = await withDuckDb((connection) => connection.runAndReadAll(`SELECT raw, file.bytes FROM ${sql}`));
    expect(read.getRowsJson()).toEqual([
      ['YWI=', 'YWI='],
      [null, null],
    ]);
    const same = [{ raw: new Uint8Array(bytes), file: { bytes: 'YWI=', path: null } }, { raw: null }];
    const hash = await source.hash?.();
    expect(hash).toMatch(/^[\da-f]{64}$/);
    expect(await arrayRows(same, fields).hash?.()).toBe(hash);
    expect(rows[0]?.raw).toBe(bytes);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
