import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BATCH_FORMATS, EXPORT_FORMATS } from '../packages/dataset/src/formats/formats.ts';
import { runCommand } from './command-line.ts';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'dataset-formats-'));
});

afterEach(() => rmSync(artifactPath, { recursive: true }));

const CONFIG = new URL('fixtures/two-samplers.yaml', import.meta.url).pathname;

function config() {
  return new DataDesignerConfigBuilder()
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'share', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 1 } })
    .addColumn({ name: 'text', columnType: 'expression', expr: '{{ id }}: "{{ share }}", ü' });
}

test.each(BATCH_FORMATS)(
  'an interrupted %s dataset is resumed to the rows of an uninterrupted one',
  { tags: 'long' },
  async (format) => {
    await using designer = new DataDesigner({
      artifactPath,
      runConfig: { seed: 3, bufferSize: 5, maxConcurrentRowGroups: 1, compact: true },
    });
    const options = { numRecords: 40, format } as const;
    const whole = await designer.create(config(), { ...options, datasetName: 'whole' });
    const controller = new AbortController();
    const interrupted = designer.create(config(), {
      ...options,
      datasetName: 'interrupted',
      signal: controller.signal,
      onEvent: ({ type }) => void (type === 'row-group-end' && controller.abort()),
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'run/aborted' });
    const files = readdirSync(join(artifactPath, 'interrupted', 'parquet-files'));
    expect(files.every((name) => name.endsWith(`.${format}`))).toBe(true);
    expect(files.length).toBeLessThan(8);
    const resumed = await designer.create(config(), { ...options, datasetName: 'interrupted', resume: 'always' });
    expect(await Array.fromAsync(resumed.records())).toEqual(await Array.fromAsync(whole.records()));
    expect(readdirSync(join(resumed.path, 'parquet-files'))).toEqual([`batch_00000-00007.${format}`]);
  },
);

const create = (...args: readonly string[]) =>
  runCommand(['create', CONFIG, '-o', artifactPath, '-d', 'made', '--json', ...args]);

test('create -f jsonl stores Parquet and exports to <name>.jsonl; a resume exports all rows anew', async () => {
  const first = await create('-n', '3', '-f', 'jsonl');
  expect(first.code).toBe(0);
  const exported = join(artifactPath, 'made', 'made.jsonl');
  expect(JSON.parse(first.stdout)).toMatchObject({ records: 3, exported });
  expect(readdirSync(join(artifactPath, 'made', 'parquet-files'))).toEqual(['batch_00000.parquet']);
  const lines = () => readFileSync(exported, 'utf8').trimEnd().split('\n');
  expect(lines()).toHaveLength(3);
  const before = lines();
  // Also a resume that names no format: the export would lack rows.
  const second = await create('-n', '5', '--resume', 'always');
  expect([second.code, lines().length]).toEqual([0, 5]);
  expect(lines().slice(0, 3)).toEqual(before);
  expect(JSON.parse(lines()[4] ?? '')).toEqual({
    animal: expect.any(String) as string,
    weight: expect.any(Number) as number,
  });
});

test('create -f jsonl continues an Arrow dataset in its own format and exports all rows', async () => {
  await create('-n', '3', '-f', 'arrow');
  const { code, stdout } = await create('-n', '5', '-f', 'jsonl', '--resume', 'always');
  const exported = join(artifactPath, 'made', 'made.jsonl');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ records: 5, exported });
  const files = readdirSync(join(artifactPath, 'made', 'parquet-files'));
  expect(files.filter((name) => !name.endsWith('.arrow'))).toEqual([]);
  expect(readFileSync(exported, 'utf8').trimEnd().split('\n')).toHaveLength(5);
});

test('the rows of a running resume can be read when it names no format and the dataset is stored as Arrow', async () => {
  await using designer = new DataDesigner({ artifactPath, runConfig: { bufferSize: 2 } });
  await designer.create(config(), { numRecords: 4, datasetName: 'live', format: 'arrow' });
  const resumed = designer.create(config(), { numRecords: 8, datasetName: 'live', resume: 'always' });
  expect(await Array.fromAsync(resumed.records())).toHaveLength(8);
  expect(readdirSync(join(artifactPath, 'live', 'parquet-files'))[0]).toMatch(/\.arrow$/);
});

test('the texts of a csv file that differ from those of the dataset are counted', async () => {
  const path = join(artifactPath, 'signs.yaml');
  const params = { values: ['-3', '+49', 'plain'] };
  writeFileSync(
    path,
    JSON.stringify({ columns: [{ name: 'a', column_type: 'sampler', sampler_type: 'category', params }] }),
  );
  const made = await runCommand([
    'create',
    path,
    '-n',
    '9',
    '--artifact-path',
    artifactPath,
    '-d',
    'signs',
    '-f',
    'csv',
  ]);
  const lines = readFileSync(join(artifactPath, 'signs', 'signs.csv'), 'utf8').split('\n');
  const count = lines.filter((line) => line.startsWith("'")).length;
  const told = `${count} texts that a spreadsheet would run as formulas begin with an apostrophe in the file.`;
  expect(count).toBeGreaterThan(1);
  expect(made.stdout).toContain(told);
  const folder = join(artifactPath, 'signs');
  const out = join(artifactPath, 'out.csv');
  expect((await runCommand(['export', folder, '-f', 'csv', '-o', out])).stderr).toContain(told);
  expect((await runCommand(['export', folder, '-f', 'csv'])).stderr).toContain(told);
  expect((await runCommand(['export', folder, '-f', 'csv', '-o', out, '--no-escape'])).stderr).toBe('');
  expect(readFileSync(out, 'utf8')).not.toContain("'");
});

test('create -f csv exports to <name>.csv', async () => {
  const { code } = await create('-n', '2', '-f', 'csv');
  const [header, ...rows] = readFileSync(join(artifactPath, 'made', 'made.csv'), 'utf8')
    .trimEnd()
    .split('\n');
  expect([code, header, rows.length]).toEqual([0, 'animal,weight', 2]);
});

test('an unknown format is an error that lists the known ones', async () => {
  const known = EXPORT_FORMATS.join(', ');
  const { code, stdout } = await create('-f', 'orc');
  expect([code, stdout]).toEqual([
    expect.any(Number) as number,
    expect.stringContaining(`argument 'orc' is invalid. Allowed choices are ${known}.`) as string,
  ]);
  expect(code).not.toBe(0);
  await using designer = new DataDesigner({ artifactPath });
  const refused = designer.create(config(), { format: 'orc' as never });
  await expect(refused).rejects.toThrow(`Use one of: ${known}.`);
});
