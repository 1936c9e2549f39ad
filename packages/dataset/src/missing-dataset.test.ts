import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TemporaryFolder } from './files/temporary-folder.ts';
import { holdsDataset, missingDataset } from './missing-dataset.ts';

test('the error of a name without its folder names the datasets of the artifact folder, that name first', async () => {
  await using folder = await TemporaryFolder.make();
  for (const name of ['artifacts/facts/parquet-files', 'artifacts/bank/parquet-files', 'other']) {
    mkdirSync(join(folder.path, name), { recursive: true });
  }
  const at = (name: string) => join(folder.path, name);
  expect(missingDataset(at('facts')).message).toBe(
    `There is no dataset in ${at('facts')}. There are: ${at('artifacts/facts')}, ${at('artifacts/bank')}.`,
  );
  expect(missingDataset(at('artifacts/bank2')).message).toContain(`There are: ${at('artifacts/bank')}, `);
  expect(missingDataset(at('other/a')).message).toContain('Check the folder and the name.');
});

test('a folder holds a dataset if it has the folder of its files', async () => {
  await using folder = await TemporaryFolder.make();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('facts/parquet-files'), { recursive: true });
  mkdirSync(at('odd'));
  writeFileSync(at('odd/parquet-files'), '');
  expect([at('facts'), at('odd'), at('none'), at('odd/parquet-files')].map(holdsDataset)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
