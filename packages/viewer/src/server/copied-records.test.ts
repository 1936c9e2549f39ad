import { afterAll, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { field } from '@data-designer/core';
import { testFolder } from '@data-designer/testing/test-folder';
import { expression, planOf } from '../../../engine/test/plan-of.ts';
import { runOptions, storeRows } from '../../../engine/test/store-rows.ts';
import { copiedRecords, hasRecordParts } from './copied-records.ts';
import { ShownDatasets } from './shown-datasets.ts';

const folder = testFolder('copied-records');
const shown = new ShownDatasets({ folders: [folder], registry: new ColumnRegistry(columnTypes), version: '1' });
afterAll(() => shown[Symbol.asyncDispose]());

const FILE = field('x', { struct: [field('bytes', 'utf8'), field('path', 'utf8')] });

/** A dataset for which two rows were requested. */
async function stored(datasetName: string, { document = {}, rows = ['a', 'b'], isFile = false }) {
  const made = planOf({ columns: [expression('x', 'a')], ...document }, { numRecords: 2 });
  const plan = isFile ? { ...made, fields: [FILE] } : made;
  await storeRows(plan, runOptions({ artifactPath: folder, datasetName }), {
    rows: rows.map((x) => ({ x: isFile ? { bytes: x, path: 'a.png' } : x })),
    write: async (files) => {
      for (const { config, sideTable } of plan.processors) {
        if (!sideTable) continue;
        const cards = rows.map((x) => ({ title: `Card ${x}` }));
        await files.writeSide({ processor: config.name, fields: sideTable.fields }, 0, cards);
      }
    },
  });
  await shown.list();
  return shown.of(datasetName);
}

const processors = [{ name: 'cards', processor_type: 'schema_transform', template: { title: 'Card {{ x }}' } }];

test('records have parts beside their values for a model, a processor, media or lost rows alone', async () => {
  expect(await hasRecordParts(await stored('plain', {}))).toBe(false);
  expect(await hasRecordParts(await stored('lost', { rows: ['a'] }))).toBe(true);
  expect(await hasRecordParts(await stored('processed', { document: { processors } }))).toBe(true);
  expect(await hasRecordParts(await stored('files', { isFile: true }))).toBe(true);
});

test('a copied record has its row, its states and what processors made of it', async () => {
  const dataset = await stored('copied', { document: { processors } });
  const parts = { to: folder, media: 'media', traces: false, columns: (await dataset.plan()).columns };
  expect(await copiedRecords(dataset, [1], parts)).toMatchObject([
    { row: 1, answers: [], states: [], processed: [{ processor: 'cards' }], media: {}, conversations: {} },
  ]);
});
