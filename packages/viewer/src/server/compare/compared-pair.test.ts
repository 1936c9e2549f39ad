import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { NEVER } from '@data-designer/core';
import { DataDesigner } from '@data-designer/designer';
import { testFolder } from '@data-designer/testing/test-folder';
import { ShownDatasets } from '../shown-datasets.ts';
import { compareCounts } from './compare-counts.ts';
import { comparePage } from './compare-page.ts';
import { comparedPair } from './compared-pair.ts';

const folder = testFolder('compared-pair');
const ROWS = 9;

/** A dataset of the numbers from 0, without those that divide by zero; three in a row group. */
async function make(name: string, lost: readonly number[], text = 'n') {
  const divided = lost.map((id) => `(id - ${id})`).join(' * ') || '1';
  const columns = [
    { name: 'text', column_type: 'expression', expr: `${text}{{ id }}` },
    { name: 'share', column_type: 'expression', expr: `{{ 1 / (${divided}) }}`, drop: true },
  ];
  writeFileSync(join(folder, 'ids.jsonl'), Array.from({ length: ROWS }, (_, id) => JSON.stringify({ id })).join('\n'));
  const seed_config = { source: { seed_type: 'local', path: join(folder, 'ids.jsonl') } };
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { bufferSize: 3 } });
  await designer.create(
    { document: { seed_config, columns }, source: 'the test' },
    { numRecords: ROWS, datasetName: name },
  );
}

test('a row that one dataset has lost moves no other row, and is named by its place in the plan', async () => {
  await make('whole', []);
  await make('lacking', [1, 5, 6]);
  await make('other', [5, 8], 'N');
  await using shown = new ShownDatasets({ folders: [folder], registry: new ColumnRegistry(columnTypes), version: '1' });
  await shown.list();
  const pair = await comparedPair(shown.of('lacking'), shown.of('whole'));
  const page = await comparePage(...pair, { from: 0, count: 20 });
  expect(page).toMatchObject({ arePlanned: true, total: ROWS, next: null });
  expect(page.rows.map(({ index, position, otherPosition }) => [index, position, otherPosition])).toEqual([
    [0, 0, 0],
    [1, null, 1],
    [2, 1, 2],
    [3, 2, 3],
    [4, 3, 4],
    [5, null, 5],
    [6, null, 6],
    [7, 4, 7],
    [8, 5, 8],
  ]);
  expect(page.rows.flatMap(({ changed }) => changed)).toEqual([]);
  expect(await compareCounts(...pair, { from: 0, signal: NEVER })).toMatchObject({ rows: 6, changed: 0 });
  // A row that neither has is left out.
  const both = await comparePage(...(await comparedPair(shown.of('lacking'), shown.of('other'))), {
    from: 0,
    count: 20,
    rows: { of: 'changed' },
  });
  expect(both.rows.map(({ index, changed }) => [index, changed.length])).toEqual([
    [0, 1],
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 1],
    [6, 0],
    [7, 1],
    [8, 0],
  ]);
});
