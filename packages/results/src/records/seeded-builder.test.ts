import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowOf } from '@data-designer/config';
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { DataDesignerConfigBuilder } from '../../../declaration/src/config-builder.ts';
import { DataDesigner } from '../../../designer/src/data-designer.ts';
import { loadDataset } from '../load-dataset.ts';

let folder: string;
let designer: DataDesigner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seeded-builder-'));
  designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 3, bufferSize: 2 } });
});

afterEach(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const sim = { provider: 'simulator', model: 'sim-small' } as const;

/** Two models, a tool config, and columns of several stored types, one of them dropped. */
function declared() {
  return new DataDesignerConfigBuilder({ modelConfigs: [{ alias: 'writer', ...sim }] })
    .addModelConfig({ alias: 'judge', ...sim, inferenceParameters: { temperature: 1, topP: 0.5 } })
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'], maxToolCallTurns: 2 })
    .withSeedDataset<{ mixed: unknown; note: string | null }>({
      seedType: 'df',
      rows: [
        { mixed: { deep: [1, 'a'] }, note: null },
        { mixed: [2.5], note: 'x' },
      ],
    })
    .addColumn({ name: 'size', columnType: 'expression', expr: '2', dtype: 'float' })
    .addColumn({ name: 'hidden', columnType: 'expression', expr: 'gone', drop: true })
    .addColumn({
      name: 'kind',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: ['moon', 'salt'] },
    });
}

test('a preview starts a config with its models, its tools and its rows as seed', { tags: 'long' }, async () => {
  const preview = await designer.preview(declared(), { numRecords: 4 });
  const next = await preview.toConfigBuilder();
  expectTypeOf<RowOf<typeof next>>().toEqualTypeOf<{
    mixed: unknown;
    note: string | null;
    size: number;
    kind: 'moon' | 'salt';
  }>();
  expect(next.modelConfigs).toMatchObject(declared().modelConfigs);
  expect(next.toolConfigs).toEqual(declared().toolConfigs);
  expect(next.getColumnConfigs()).toEqual([]);
  expect(preview.datasetMetadata).toEqual({ seedColumnNames: ['mixed', 'note'] });
  const again = next.addColumn({
    name: 'label',
    columnType: 'expression',
    expr: '{{ kind }} {{ size }} {{ mixed.deep[1] if mixed.deep else mixed[0] }} {{ note }}',
  });
  const rows = await Array.fromAsync((await designer.preview(again, { numRecords: 4 })).records());
  const before = await Array.fromAsync(preview.records());
  expect(rows.map(({ label: _, ...row }) => row)).toEqual(before);
  // A float with a whole value stays a float, and JSON text stays a value.
  expect(rows.map(({ label }) => label)).toEqual(
    before.map(({ kind }, at) => `${kind} 2.0 ${at % 2 === 0 ? 'a None' : '2.5 x'}`),
  );
});

test('a dataset starts a config from the chosen columns, from its folder too', { tags: 'long' }, async () => {
  const made = await designer.create(declared(), { numRecords: 5, datasetName: 'made' });
  const results = [made, await loadDataset<{ kind: string; size: number }>(join(folder, 'made'))] as const;
  const [typed, loaded] = [
    await results[0].toConfigBuilder({ columns: ['kind'] }),
    await results[1].toConfigBuilder({ columns: ['kind'] }),
  ];
  expectTypeOf<RowOf<typeof typed>>().toEqualTypeOf<{ kind: 'moon' | 'salt' }>();
  expectTypeOf<RowOf<typeof loaded>>().toEqualTypeOf<{ kind: string }>();
  const kinds = (await Array.fromAsync(made.records())).map(({ kind }) => ({ kind }));
  for (const one of results) expect(one.datasetMetadata).toEqual({ seedColumnNames: ['mixed', 'note'] });
  for (const next of [typed, loaded]) {
    expect(next.modelConfigs.map(({ alias }) => alias)).toEqual(['writer', 'judge']);
    expect(next.modelConfigs[1]).toMatchObject(declared().modelConfigs[1]!);
    expect(next.toolConfigs).toMatchObject(declared().toolConfigs);
    const answers = await designer.preview(
      next.addColumn({ name: 'up', columnType: 'expression', expr: '{{ kind }}' }),
      {
        numRecords: 5,
      },
    );
    const rows = await Array.fromAsync(answers.records());
    expect(rows).toEqual(kinds.map(({ kind }) => ({ kind, up: kind })));
  }
});

test('an unknown column is refused with the names of the known ones', async () => {
  const preview = await designer.preview(declared(), { numRecords: 2 });
  const unknown = ['kind', 'hidden'] as unknown as ['kind'];
  await expect(preview.toConfigBuilder({ columns: unknown })).rejects.toThrow(
    /^The preview has no column 'hidden'\. Its columns: .*kind/,
  );
  // @ts-expect-error -- the compiler knows the columns of the rows
  const misspelt = () => preview.toConfigBuilder({ columns: ['kinds'] });
  await expect(misspelt()).rejects.toMatchObject({ code: 'dataset/no-column', data: { column: 'kinds' } });
});
