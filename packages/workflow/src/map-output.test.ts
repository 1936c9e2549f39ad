import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { exportRows } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { exportMapped } from './map-output.ts';

const folder = testFolder('map-output');

test('the rows of a map are exported in the format that is asked for, and wrong options are refused', async () => {
  const file = join(folder, 'rows.parquet');
  const records = (async function* () {
    yield { text: '=1+1' };
  })();
  await exportRows({ fields: [field('text', 'utf8')], records }, file, 'parquet');
  const exported = async (name: string, options: object) =>
    readFileSync(await exportMapped(file, join(folder, name), options), 'utf8').trim();
  expect(await exported('rows.jsonl', {})).toBe('{"text":"=1+1"}');
  expect(await exported('rows.txt', { format: 'jsonl' })).toBe('{"text":"=1+1"}');
  expect(await exported('plain.csv', { escape: false })).toBe('text\n=1+1');
  expect(await exported('safe.csv', {})).toContain("'=1+1");
  for (const options of [{ format: 'odd' }, { escape: 'yes' }, { formt: 'csv' }]) {
    await expect(exported('refused.jsonl', options)).rejects.toMatchObject({ code: 'config/invalid' });
  }
  expect(existsSync(join(folder, 'refused.jsonl'))).toBe(false);
});
