import { expect, test } from 'vitest';
import { DataDesigner } from './data-designer.ts';

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
