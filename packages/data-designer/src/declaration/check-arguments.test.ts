import { expect, test } from 'vitest';
import type { DataDesignerError } from '@data-designer/core';
import { DataDesigner } from '../data-designer.ts';

const declared = {
  document: { columns: [{ name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} }] },
  source: 'the test',
};

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5, '5'])(
  '%j rows are refused before anything is begun',
  async (rows) => {
    await using designer = new DataDesigner({ artifactPath: '/nowhere' });
    const wanted = { numRecords: rows as number };
    const refusal = { code: 'config/invalid', message: expect.stringContaining(`is no count of rows`) as string };
    await expect(designer.create(declared, wanted)).rejects.toMatchObject(refusal);
    await expect(designer.preview(declared, wanted)).rejects.toMatchObject(refusal);
    await expect(designer.validate(declared, wanted)).rejects.toMatchObject(refusal);
  },
);

test('what else is no option is refused at once, all of it together', async () => {
  await using designer = new DataDesigner({ artifactPath: '/nowhere' });
  const options = { numRecords: 0, datasetName: 5, resume: 'sometimes', format: 'orc' } as object;
  const failure = await designer.create(declared, options).then(undefined, (thrown: DataDesignerError) => thrown);
  expect((failure as DataDesignerError<'config/invalid'>).data.violations).toMatchObject([
    { path: 'numRecords', message: '0 is no count of rows.' },
    { path: 'datasetName', message: '5 is no name of a folder.' },
    { path: 'resume', remedy: 'Give one of: never, always, if_possible.' },
    { path: 'format', message: '"orc" is no format of a dataset.' },
  ]);
});
