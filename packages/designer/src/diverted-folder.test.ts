import { expect, test } from 'vitest';
import { DataDesignerConfigBuilder } from '@data-designer/declaration';
import { testFolder } from '@data-designer/testing/test-folder';
import { DataDesigner } from './data-designer.ts';

const declared = new DataDesignerConfigBuilder().addColumn({ name: 'n', columnType: 'expression', expr: '1' });

test('a program that takes no events is warned once that its dataset has another folder', async () => {
  const warnings: (Error & { readonly code?: string })[] = [];
  const take = (warning: Error): void => void warnings.push(warning);
  process.on('warning', take);
  await using designer = new DataDesigner({ artifactPath: testFolder('diverted-folder') });
  const options = { numRecords: 1, datasetName: 'taken' };
  const first = await designer.create(declared, options);
  const second = await designer.create(declared, options);
  const types: string[] = [];
  await designer.create(declared, { ...options, onEvent: ({ type }) => types.push(type) });
  await new Promise(setImmediate);
  process.off('warning', take);
  expect(second.divertedFrom).toBe(first.path);
  expect(warnings.map(({ message, name, code }) => ({ message, name, code }))).toEqual([
    {
      message: `${first.path} already contains a finished dataset of this config, so this one is saved in ${second.path}.`,
      name: 'DataDesignerWarning',
      code: 'folder-divert',
    },
  ]);
  expect(types).toContain('folder-divert');
});
