import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetRowsAt } from '@data-designer/dataset';
import { DataDesigner } from '../../../../designer/src/data-designer.ts';
import { recordWindow } from './record-window.ts';

const ROWS = 10;
const number = { name: 'number', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 1 } };

let folder: string;
let designer: DataDesigner;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-'));
  designer = new DataDesigner({ artifactPath: folder, runConfig: { bufferSize: 4 } });
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test.each(['parquet', 'arrow'] as const)(
  'sequential access reads each row group of %s once',
  { tags: 'long' },
  async (format) => {
    const declared = { document: { columns: [number] }, source: 'the test' };
    const results = await designer.create(declared, { numRecords: ROWS, format, datasetName: format });
    const records = await Array.fromAsync(results.records());
    let reads = 0;
    const recordAt = recordWindow((position) => {
      reads++;
      return datasetRowsAt(results.path, position);
    });
    for (let at = 0; at < ROWS; at++) expect(await recordAt(at)).toEqual(records[at]);
    expect(reads).toBe(3);
    for (let at = ROWS - 1; at >= 0; at--) expect(await recordAt(at)).toEqual(records[at]);
    expect(reads).toBe(5);
    expect(await recordAt(ROWS)).toBeUndefined();
  },
);

test('the records of a preview are read in the same way', async () => {
  const results = await designer.preview({ document: { columns: [number] }, source: 'the test' }, { numRecords: ROWS });
  const display = results.recordDisplay();
  for (const [at, { number: value }] of (await Array.fromAsync(results.records())).entries()) {
    expect(await display.text(at)).toContain(String(value));
  }
});
