import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder, loadDataset } from 'data-designer';
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { dataDesigner, runCommand } from './command-line.ts';

let folder: string;
let designer: DataDesigner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dataset-results-'));
  designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 8, bufferSize: 10 } });
});

afterEach(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A table in which some rows cannot be made. */
function declared() {
  return new DataDesignerConfigBuilder()
    .addColumn({
      name: 'kind',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: ['good', 'bad'], weights: [4, 1] },
    })
    .addColumn({ name: 'share', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 9 } })
    .addColumn({
      name: 'size',
      columnType: 'expression',
      dtype: 'int',
      expr: "{{ 7 if kind == 'good' else 'no number' }}",
    });
}

function create(options: CreateOptions = {}) {
  return designer.create(declared(), { numRecords: 45, datasetName: 'made', ...options });
}

test(
  'records() returns rows in order during a run, also to two readers of different speed',
  { tags: 'long' },
  async () => {
    const seen: string[] = [];
    designer.setRunConfig({ seed: 8, bufferSize: 10, compact: true });
    const making = create({ onEvent: ({ type }) => void seen.push(type) });
    const [fast, slow] = [making.records(), making.records()].map((records) => records[Symbol.asyncIterator]());
    const first = await fast!.next();
    expectTypeOf(making.records()).toEqualTypeOf<
      AsyncIterable<{ kind: 'good' | 'bad'; share: number; size: number }>
    >();
    const rows: unknown[] = [first.value];
    for (let next = await fast!.next(); next.done !== true; next = await fast!.next()) rows.push(next.value);
    const results = await making;
    const records = await Array.fromAsync(results.records());
    expect(rows).toEqual(records);
    expect(rows).toHaveLength(results.count);
    // The files are merged by now.
    expect(readdirSync(join(results.path, 'parquet-files'))).toHaveLength(1);
    expect(await Array.fromAsync({ [Symbol.asyncIterator]: () => slow! })).toEqual(records);
    // A finished dataset has nothing to make, and all rows to give.
    expect(await Array.fromAsync(create({ resume: 'always' }).records())).toEqual(records);
  },
);

test(
  'a reader that stops does not stop the run, and a failing run returns its rows before the failure',
  { tags: 'long' },
  async () => {
    const making = create();
    for await (const row of making.records()) {
      expect(row.size).toBe(7);
      break;
    }
    expect((await making).count).toBeGreaterThan(30);

    const stop = new AbortController();
    const onEvent: CreateOptions['onEvent'] = ({ type }) => type === 'row-group-end' && stop.abort();
    const stopped = create({ datasetName: 'stopped', signal: stop.signal, onEvent });
    const given: unknown[] = [];
    await expect(
      (async () => {
        for await (const row of stopped.records()) given.push(row);
      })(),
    ).rejects.toMatchObject({ code: 'run/aborted' });
    const kept = await loadDataset(join(folder, 'stopped'), { unfinished: true });
    expect(given).toEqual(await Array.fromAsync(kept.records()));
    expect(given.length).toBeGreaterThan(0);
    // The rows of the run that goes on are those of both.
    const whole = create({ datasetName: 'stopped', resume: 'always' });
    expect(await Array.fromAsync(whole.records())).toEqual(await Array.fromAsync((await making).records()));
  },
);

test('records() rejects if the run cannot begin', async () => {
  const making = create({ resume: 'always' });
  await expect(Array.fromAsync(making.records())).rejects.toMatchObject({ code: 'dataset/missing' });
});

test('loadDataset returns the rows, counts, failures and tables of an earlier run', { tags: 'long' }, async () => {
  const made = await create();
  const loaded = await loadDataset<{ kind: string }>(join(folder, 'made'));
  expectTypeOf(loaded.records()).toEqualTypeOf<AsyncIterable<{ kind: string }>>();
  expect(await Array.fromAsync(loaded.records())).toEqual(await Array.fromAsync(made.records()));
  expect([loaded.count, loaded.requested, loaded.datasetName]).toEqual([made.count, 45, 'made']);
  expect((await loaded.toArrow()).numRows).toBe(made.count);
  const failures = await Array.fromAsync(loaded.failures());
  expect(failures).toHaveLength(45 - made.count);
  expect(failures[0]).toMatchObject({ column: 'size', onFailure: 'drop_row', group: expect.any(Number) as number });
  expect(await Array.fromAsync(made.failures())).toEqual(failures);
});

test('loadDataset names a folder that is not a dataset, is unfinished or is in use', { tags: 'long' }, async () => {
  await expect(loadDataset(join(folder, 'none'))).rejects.toMatchObject({ code: 'dataset/missing' });
  mkdirSync(join(folder, 'photos'));
  await expect(loadDataset(join(folder, 'photos'))).rejects.toMatchObject({ code: 'dataset/missing' });
  designer.setRunConfig({ seed: 8, bufferSize: 10, compact: false });
  const made = await create();
  writeFileSync(join(made.path, '.lock'), JSON.stringify({ pid: 1, host: 'elsewhere', started: 'now' }));
  await expect(loadDataset(made.path)).rejects.toMatchObject({ code: 'dataset/locked' });
  rmSync(join(made.path, '.lock'));
  rmSync(join(made.path, 'parquet-files', 'batch_00002.parquet'));
  await expect(loadDataset(made.path)).rejects.toThrow(
    'batch_00002.parquet: it is not there, although its rows were made',
  );
  const log = join(made.path, 'checksums.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, lines.filter((line) => !line.includes('batch_00002')).join('\n'));
  await expect(loadDataset(made.path)).rejects.toThrow('it has 4 of 5 row groups');
  expect((await loadDataset(made.path, { unfinished: true })).count).toBeLessThan(made.count);
  const { code, stderr } = await runCommand(['export', made.path, '-o', join(folder, 'part.jsonl')]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('it has 4 of 5 row groups. Continue it with --resume')]);
});

test.each(['parquet', 'arrow'] as const)(
  'a %s dataset is exported to four formats with all rows',
  { tags: 'long' },
  async (format) => {
    const made = await create({ format });
    const records = await Array.fromAsync(made.records());
    const read = async (name: string, rows = 'parquet') => {
      // A dataset of one file, as that is what can read it.
      const other = join(folder, `read-${name}`);
      mkdirSync(join(other, 'parquet-files'), { recursive: true });
      await made.export(join(other, 'parquet-files', `batch_00000-00004.${rows}`));
      writeFileSync(join(other, 'run.json'), readFileSync(join(made.path, 'run.json')));
      return Array.fromAsync((await loadDataset(other, { unfinished: true })).records());
    };
    expect(await read('parquet')).toEqual(records);
    expect(await read('arrow', 'arrow')).toEqual(records);
    await made.export(join(folder, 'out.jsonl'));
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(records);
    await made.export(join(folder, 'out.csv'));
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(records.length + 1);
  },
);

test('export writes one file, and refuses to print a binary format', { tags: 'long' }, async () => {
  const made = await create();
  const output = join(folder, 'all.parquet');
  const { code, stdout } = await dataDesigner(['export', made.path, '-o', output]);
  expect([code, stdout]).toEqual([0, `${output}\n`]);
  expect(readFileSync(output).subarray(0, 4).toString()).toBe('PAR1');
  const printed = await dataDesigner(['export', made.path, '-f', 'arrow']);
  expect(printed.code).toBe(2);
  expect(printed.stderr).toContain('add -o FILE');
});

test.each(['parquet', 'arrow'] as const)(
  'every export names a truncated file: %s',
  { tags: 'long' },
  async (format) => {
    const { path } = await create({ format });
    const files = join(path, 'parquet-files');
    const [name] = readdirSync(files);
    const file = join(files, String(name));
    const results = await loadDataset(path);
    writeFileSync(file, readFileSync(file).subarray(0, 600));
    for (const to of ['csv', 'parquet', 'arrow']) {
      await expect(results.export(join(folder, `out.${to}`))).rejects.toMatchObject({
        code: 'dataset/damaged',
        data: { path: file },
      });
    }
    expect(readdirSync(folder)).toEqual(['made']);
  },
);

test('create refuses an unwritable report before it makes rows', async () => {
  const config = join(folder, 'a config.yaml');
  writeFileSync(config, 'columns: [{name: a, column_type: sampler, sampler_type: uuid, params: {}}]');
  const page = join(folder, 'nowhere', 'r.html');
  const { code, stderr } = await runCommand(['create', config, '-o', folder, '--report', page]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('there is no such folder')]);
  expect(readdirSync(folder)).toEqual(['a config.yaml']);
});
