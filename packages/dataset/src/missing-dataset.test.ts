import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { TemporaryFolder } from './files/temporary-folder.ts';
import { holdsDataset, missingDataset } from './missing-dataset.ts';

test('the error of a name without its folder names the datasets of the artifact folder, that name first', async () => {
  await using folder = await TemporaryFolder.make();
  for (const name of ['artifacts/facts/parquet-files', 'artifacts/bank/parquet-files', 'other']) {
    mkdirSync(join(folder.path, name), { recursive: true });
    if (name !== 'other') writeFileSync(join(folder.path, dirname(name), 'run.json'), '');
  }
  const at = (name: string) => join(folder.path, name);
  expect(missingDataset(at('facts')).message).toBe(
    `There is no dataset in ${at('facts')}. There are: ${at('artifacts/facts')}, ${at('artifacts/bank')}.`,
  );
  expect(missingDataset(at('artifacts/bank2')).message).toContain(`There are: ${at('artifacts/bank')}, `);
  expect(missingDataset(at('other/a')).message).toContain('Check the folder and the name.');
});

test('the error of a file of a dataset names the dataset, and that of a folder the datasets in it', async () => {
  await using folder = await TemporaryFolder.make();
  const at = (...names: readonly string[]) => join(folder.path, ...names);
  for (const name of ['flow/stage-0-seeds', 'flow/stage-1-facts', 'other']) {
    mkdirSync(at(name, 'parquet-files'), { recursive: true });
    for (const file of ['run.json', 'metadata.json', 'parquet-files/batch_00000.parquet'])
      writeFileSync(at(name, file), '');
  }
  for (const file of ['metadata.json', 'parquet-files/batch_00000.parquet']) {
    expect(missingDataset(at('other', file)).message).toBe(
      `${at('other', file)} is a file of a dataset. Give the folder of the dataset: ${at('other')}.`,
    );
  }
  expect(missingDataset(at('flow')).message).toBe(
    `There is no dataset in ${at('flow')} itself. It contains: ${at('flow/stage-0-seeds')}, ${at('flow/stage-1-facts')}.`,
  );
  const table = at('other/parquet-files');
  expect(missingDataset(table).message).toBe(
    `${table} is a folder of a dataset. Give the folder of the dataset: ${at('other')}.`,
  );
  expect(missingDataset(at('config.yaml')).message).toContain('is a config.');
});

test('a folder holds a dataset if it has the folder of its files, and files, answers or a record', async () => {
  await using folder = await TemporaryFolder.make();
  const at = (name: string) => join(folder.path, name);
  const names = ['run.json', 'metadata.json', 'parquet-files/batch_00000.parquet', 'journal/group_00000', 'note.txt'];
  const made = names.map((name) => {
    const dataset = at(`with ${basename(name)}`);
    for (const subfolder of ['parquet-files', 'journal']) mkdirSync(join(dataset, subfolder), { recursive: true });
    writeFileSync(join(dataset, name), '');
    return dataset;
  });
  expect(made.map(holdsDataset)).toEqual([true, true, true, true, false]);
  mkdirSync(at('odd'));
  for (const name of ['odd/parquet-files', 'odd/run.json']) writeFileSync(at(name), '');
  expect([at('odd'), at('none'), at('odd/parquet-files')].map(holdsDataset)).toEqual([false, false, false]);
});

test('of many datasets in the folder, the one of the nearest name is told first', async () => {
  await using folder = await TemporaryFolder.make();
  const at = (name: string) => join(folder.path, name);
  for (const name of [...Array.from({ length: 12 }, (_, index) => `run-${index}`), 'zebras']) {
    mkdirSync(at(`${name}/parquet-files`), { recursive: true });
    writeFileSync(at(`${name}/metadata.json`), '');
  }
  expect(missingDataset(at('zebra')).data.near?.[0]).toBe(at('zebras'));
});
