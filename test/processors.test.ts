import { readdir } from 'node:fs/promises';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, loadDataset } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDataset } from '@data-designer/dataset';
import type { RunOptions } from '@data-designer/engine';
import { runCommand } from './command-line.ts';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'processors-'));
});

afterEach(() => rmSync(artifactPath, { recursive: true }));

const animals = { column_type: 'sampler', sampler_type: 'category', params: { values: ['bee', 'owl'] } };
const shape = {
  name: 'chat',
  processor_type: 'schema_transform',
  template: { messages: [{ role: 'user', content: '{{ animal }}' }], secret: '{{ secret }}', fixed: 3 },
};
const document = (processors: readonly object[] = [shape]) => ({
  columns: [
    { name: 'animal', ...animals },
    { name: 'secret', column_type: 'expression', expr: '{{ animal }}!', drop: true },
    { name: 'spare', column_type: 'expression', expr: '{{ secret }}?' },
    { name: 'kept', column_type: 'expression', expr: '{{ animal | upper }}' },
  ],
  processors,
});
const DROP = { name: 'out', processor_type: 'drop_columns', column_names: ['sp*'] };

type Settings = NonNullable<ConstructorParameters<typeof DataDesigner>[0]>['runConfig'];

function designerOf(runConfig: Settings = {}) {
  return new DataDesigner({ artifactPath, runConfig: { seed: 7, bufferSize: 2, ...runConfig } });
}

function create(
  more: { readonly rows?: number; readonly format?: RunOptions['format']; readonly resume?: 'always' } = {},
  { processors, ...runConfig }: Settings & { readonly processors?: readonly object[] } = {},
) {
  const { rows: numRecords = 5, ...options } = more;
  const declared = { document: document(processors ?? [shape, DROP]), source: 'test' };
  return designerOf(runConfig).create(declared, { numRecords, datasetName: 'd', ...options });
}

const names = (...path: readonly string[]) => readdir(join(artifactPath, 'd', ...path));
const metadata = () =>
  JSON.parse(readFileSync(join(artifactPath, 'd', 'metadata.json'), 'utf8')) as {
    readonly file_paths: object;
    readonly preserve_dropped_columns: boolean;
  };

test.each(['parquet', 'arrow'] as const)(
  '%s: each table has the files of the main one',
  { tags: 'long' },
  async (format) => {
    const results = await create({ format }, { compact: false });
    const files = [0, 1, 2].map((group) => `batch_0000${group}.${format}`);
    for (const folder of [['parquet-files'], ['dropped-columns-parquet-files'], ['processors-files', 'chat']]) {
      expect((await names(...folder)).toSorted()).toEqual(files);
    }
    const rows = (await Array.fromAsync(results.records())) as readonly Record<string, string>[];
    expect(rows.map(Object.keys)).toEqual(rows.map(() => ['animal', 'kept']));
    expect(await Array.fromAsync(results.loadProcessorDataset('chat'))).toEqual(
      rows.map(({ animal }) => ({
        messages: [{ role: 'user', content: animal }],
        secret: `${animal}!`,
        fixed: 3,
      })),
    );
    expect(metadata()).toMatchObject({
      preserve_dropped_columns: true,
      file_paths: { 'processor-files': { chat: files.map((file) => `processors-files/chat/${file}`) } },
    });
  },
);

test('dropped columns are stored in one file per row group', async () => {
  const results = await create();
  const dropped = await readTableOf('dropped-columns-parquet-files');
  const rows = (await Array.fromAsync(results.records())) as readonly Record<string, string>[];
  expect(dropped).toEqual(rows.map(({ animal }) => ({ secret: `${animal}!`, spare: `${animal}!?` })));
});

test('merged files of all tables have the same names', { tags: 'long' }, async () => {
  await create({}, { compact: true });
  for (const folder of [['parquet-files'], ['dropped-columns-parquet-files'], ['processors-files', 'chat']]) {
    expect(await names(...folder)).toEqual(['batch_00000-00002.parquet']);
  }
  await create({ rows: 9, resume: 'always' }, { compact: true });
  expect(await names('processors-files', 'chat')).toEqual(await names('parquet-files'));
  expect(await readTableOf('dropped-columns-parquet-files')).toHaveLength(9);
  expect(await Array.fromAsync((await loadDataset(join(artifactPath, 'd'))).loadProcessorDataset('chat'))).toHaveLength(
    9,
  );
});

test('without preserve_dropped_columns none are stored, and a resume must have the same setting', async () => {
  await create({}, { preserveDroppedColumns: false });
  expect(await readdir(join(artifactPath, 'd'))).not.toContain('dropped-columns-parquet-files');
  expect(metadata().preserve_dropped_columns).toBe(false);
  await expect(create({ rows: 7, resume: 'always' })).rejects.toMatchObject({ code: 'dataset/incompatible' });
});

test(
  'a processor that can make no row ends the run, and the corrected one continues it; with rows it may not change',
  { tags: 'long' },
  async () => {
    const broken = { ...shape, template: { v: '{{ animal.x.y }}' } };
    const failure: unknown = await create({}, { processors: [broken, DROP] }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: 'processor/no-rows',
      // The group that finishes first names its first row.
      message: expect.stringMatching(/The processor 'chat' cannot make row [024] \(template\/empty-render\)/),
    });
    expect(await names('processors-files', 'chat')).toEqual([]);
    expect(await names('parquet-files')).toEqual([]);
    const results = await create({ resume: 'always' });
    expect([results.count, results.findings.lost]).toEqual([results.requested, []]);
    expect(await names('processors-files', 'chat')).toEqual(await names('parquet-files'));
    const other = create({ resume: 'always' }, { processors: [broken, DROP] });
    await expect(other).rejects.toMatchObject({ code: 'dataset/incompatible' });
  },
);

test('an unknown processor table is refused with the names of all', async () => {
  const results = await create();
  expect(results.getPathToProcessorArtifacts('chat')).toBe(join(artifactPath, 'd', 'processors-files', 'chat'));
  expect(() => results.getPathToProcessorArtifacts('out')).toThrow(/Processors with a side table: chat/);
  expect(() => results.loadProcessorDataset('../..')).toThrow(/no side table/);
});

test('export --processor writes the output of a processor', { tags: 'long' }, async () => {
  await create();
  const folder = join(artifactPath, 'd');
  const output = join(artifactPath, 'chats.csv');
  expect(await runCommand(['export', folder, '--processor', 'chat', '-o', output])).toMatchObject({ code: 0 });
  expect(readFileSync(output, 'utf8').split('\n')[0]).toBe('messages,secret,fixed');
  const typed = join(artifactPath, 'chats.parquet');
  expect(await runCommand(['export', folder, '--processor', 'chat', '-o', typed])).toMatchObject({ code: 0 });
  expect(readFileSync(typed).subarray(0, 4).toString()).toBe('PAR1');
  const { stdout } = await runCommand(['export', folder, '--processor', 'chat']);
  expect(stdout.trim().split('\n')).toHaveLength(5);
  expect(await runCommand(['export', folder, '--processor', 'chat', '-f', 'chat-jsonl'])).toMatchObject({ code: 2 });
  expect((await runCommand(['export', folder, '--processor', 'no'])).stderr).toContain(
    'Processors with a side table: chat',
  );
});

test.each([
  ['parquet', 'parquet'],
  ['parquet', 'arrow'],
  ['arrow', 'parquet'],
  ['arrow', 'arrow'],
] as const)(
  'what a processor made of %s files is exported as one %s file, with its types',
  { tags: 'long' },
  async (format, to) => {
    const results = await create({ format }, { compact: false });
    const view = join(artifactPath, 'view', 'parquet-files');
    mkdirSync(view, { recursive: true });
    const output = join(view, `batch_00000.${to}`);
    await results.export(output, { processor: 'chat' });
    const rows = await Array.fromAsync(results.loadProcessorDataset('chat'));
    expect(await Array.fromAsync(readDataset(join(artifactPath, 'view')))).toEqual(rows);
    expect(rows).toHaveLength(5);
    await expect(results.export(output, { processor: 'no' })).rejects.toMatchObject({ code: 'dataset/no-processor' });
  },
);

/** The rows of a folder beside the main one, as if it were a dataset's. */
function readTableOf(folder: string): Promise<unknown[]> {
  const view = mkdtempSync(join(artifactPath, 'view-'));
  symlinkSync(join(artifactPath, 'd', folder), join(view, 'parquet-files'));
  return Array.fromAsync(readDataset(view));
}
