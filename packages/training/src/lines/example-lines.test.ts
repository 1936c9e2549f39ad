import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { field, type Plan } from '@data-designer/core';
import { batchName, datasetPaths, exportRows } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { emptyCounts, ExampleLines, type Refusal } from './example-lines.ts';

const FIELDS = [field('question', 'utf8'), field('answer', 'utf8'), field('level', 'int64')];
const folder = testFolder('example-lines');

async function* records() {
  for (let row = 0; row < 5; row++)
    yield { question: `Question ${row}?`, answer: row === 1 ? null : 'So.', level: row };
}

test('all examples whose record has the member to add are refused, not only the first', async () => {
  const { parquetFiles } = datasetPaths(folder);
  mkdirSync(parquetFiles);
  await exportRows({ records: records(), fields: FIELDS }, join(parquetFiles, batchName(0, 'parquet')), 'parquet');
  const plan = { fields: FIELDS, columns: [] } as unknown as Plan;
  const source = { folder, plan, tools: {}, tables: [], version: '1' };
  const map = { prompt: 'question', answer: 'answer', 'info.level': 'level' };
  const request = { source, name: 'nemo-gym', options: { map, add: { level: 'level' } } } as const;
  const tally = { counts: emptyCounts(), refusals: new Map<string, Refusal>() };
  expect(await Array.fromAsync((await ExampleLines.open(request)).lines(tally))).toEqual([]);
  const what = "a member 'level' of its own, beside the one to add";
  expect([...tally.refusals.values()]).toEqual([{ what, examples: 4, row: 0 }]);
  expect(tally.counts).toMatchObject({ examples: 0, leftOut: { 'no value of answer (answer)': 1 } });
});
