import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadDocument } from '@data-designer/config';
import { type Row, unboxed } from '@data-designer/core';
import { conformance, readRows } from './read-rows.ts';
// From source, as are the documents it is given: the published package knows its own class of floats only.
import { DataDesigner } from '../../packages/data-designer/src/index.ts';

interface PreviewRow {
  readonly file: string;
  readonly preview?: {
    readonly requested: number;
    /** Why none can be made, in words of the observed tool. */
    readonly error?: string;
    readonly rows?: number;
    readonly columns?: readonly string[];
    /** Some of the cells of each row. */
    readonly records?: readonly Row[];
    readonly processor_outputs?: Readonly<Record<string, readonly Row[]>>;
  };
}

const folder = join(conformance, 'configs');
const rows = readRows<PreviewRow>('configs.jsonl').flatMap(({ file, preview }) => (preview ? { file, preview } : []));

/** One for all: its threads are loaded once. */
const designer = new DataDesigner();

afterAll(() => designer[Symbol.asyncDispose]());

function previewOf(file: string, numRecords: number) {
  const declared = { document: loadDocument(join(conformance, file)), source: file, folder };
  return designer.preview(declared, { numRecords });
}

/** Where we leave the observed tool on purpose: a number that is missing is missing, and no number that is none. */
const OURS: Readonly<Record<string, (record: Row) => Row>> = {
  'configs/seed_csv.yaml': ({ line, ...record }) => ({ ...record, line: (line as string).replace('|nan|', '|None|') }),
};

test.each(rows.filter(({ preview }) => preview.error === undefined))(
  '$file',
  { tags: 'long' },
  async ({ file, preview }) => {
    const results = await previewOf(file, preview.requested);
    const records = (await Array.fromAsync(results.records())) as readonly Row[];
    expect(records).toHaveLength(preview.rows ?? 0);
    expect(
      results
        .toArrow()
        .schema.fields.map(({ name }) => name)
        .toSorted(),
    ).toEqual(preview.columns?.toSorted());
    expect(records).toMatchObject(
      (preview.records ?? records).map((record) => unboxed(OURS[file]?.(record) ?? record)),
    );
    expect(await results.processorArtifacts()).toEqual(preview.processor_outputs ?? {});
  },
);

test.each(rows.filter(({ preview }) => preview.error !== undefined))('$file: $preview.error', async (row) => {
  await expect(previewOf(row.file, row.preview.requested)).rejects.toMatchObject({ name: 'DataDesignerError' });
});
