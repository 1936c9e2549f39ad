import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { readDataset } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { runCommand } from './command-line.ts';

const fixtures = fileURLToPath(new URL('fixtures/0.1', import.meta.url));
let folder: string;
let simulator: RunningSimulator;

/** Resumes a copy of a dataset that 0.1 wrote. */
async function resume(name: string, rows: number): Promise<void> {
  const [providers, settings] = [join(folder, 'providers.yaml'), join(folder, 'settings.yaml')] as const;
  writeFileSync(providers, `providers:\n  - {name: counted, endpoint: "${simulator.url}"}\n`);
  writeFileSync(settings, 'buffer_size: 4\n');
  cpSync(join(fixtures, name), join(folder, name), { recursive: true });
  const files = ['--providers', providers, '-c', settings];
  const create = ['create', join(fixtures, 'config.yaml'), '-n', `${rows}`, '-o', folder, '-d', name, ...files];
  const { code, stderr } = await runCommand([...create, '-r', 'always']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}

/** The fields of every stored message, over all rows. */
function traceFieldsOf(rows: readonly object[]): readonly string[] {
  const traces = rows.map((row) => (row as { readonly fact__trace: readonly object[] }).fact__trace);
  return [...new Set(traces.flat().flatMap((message) => Object.keys(message)))];
}

const TRACE_FIELDS = ['role', 'content', 'reasoning_content', 'tool_calls', 'tool_call_id', 'content_parts'];

const rowsOf = (path: string) => Array.fromAsync(readDataset(path));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'older-datasets-'));
  simulator = await startSimulator();
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test('an interrupted 0.1 dataset is resumed without a request for a journaled answer', async () => {
  await resume('interrupted', 24);
  const path = join(folder, 'interrupted');
  const rows = await rowsOf(path);
  expect(rows).toHaveLength(24);
  // Traces keep the type with which the dataset began.
  expect(traceFieldsOf(rows)).toEqual(TRACE_FIELDS);
  expect(readFileSync(join(path, 'run.json'), 'utf8')).not.toContain('finish_reason');
  expect(readdirSync(join(path, 'journal'))).toEqual([]);
  const journaled = JSON.parse(readFileSync(join(fixtures, 'interrupted-answers.json'), 'utf8')) as string[];
  const { bought, boughtTwice, requests } = await simulator.stats();
  expect(requests).toBeGreaterThan(0);
  expect(Object.keys(bought).filter((hash) => journaled.includes(hash))).toEqual([]);
  expect(boughtTwice).toBe(0);
  // Nothing was failed over, dropped or asked for in other words: the rest of what 24 rows take, and no more.
  const usage = JSON.parse(readFileSync(join(path, 'metadata.json'), 'utf8')) as {
    readonly usage: { readonly writer: { readonly requests: number } };
  };
  expect(usage.usage.writer.requests).toBe(journaled.length + requests);
});

test('a finished 0.1 dataset is extended', async () => {
  const before = await rowsOf(join(fixtures, 'finished'));
  await resume('finished', 10);
  const rows = await rowsOf(join(folder, 'finished'));
  expect(rows).toHaveLength(10);
  expect(rows.slice(0, 6)).toEqual(before);
  expect(traceFieldsOf(rows)).toEqual(TRACE_FIELDS);
  expect(existsSync(join(folder, 'finished', 'journal', 'group_00002.journal'))).toBe(false);
});

/** The columns of a Parquet file with their types. */
async function schemaOf(path: string): Promise<unknown> {
  return (await parquetMetadataAsync(await asyncBufferFromFile(path))).schema;
}

test('a dataset that stores the times of its seed as text is extended in its own types and order', async () => {
  const made = fileURLToPath(new URL('fixtures/text-times/made', import.meta.url));
  const path = join(folder, 'made');
  cpSync(made, path, { recursive: true });
  // Its path of the seed starts from the working folder too.
  const config = await DataDesignerConfigBuilder.fromConfig('test/fixtures/text-times/config.yaml');
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { bufferSize: 2 } });
  await designer.create(config, { datasetName: 'made', numRecords: 6, resume: 'always' });
  const rows = await rowsOf(path);
  expect(rows.slice(0, 4)).toEqual(await rowsOf(made));
  const { said, kind, ...seeded } = rows[5] ?? {};
  expect([Object.keys(rows[5] ?? {}).slice(0, 3), kind === 'a' || kind === 'b']).toEqual([
    ['said', 'kind', 'id'],
    true,
  ]);
  expect(seeded).toEqual({
    id: 5,
    day: '2024-01-07',
    at: '2024-01-02T03:04:10.250000',
    nanos: '2024-01-02T03:04:05.250001007',
    zoned: '2024-01-02T08:04:05.250000+00:00',
    clock: '03:04:05',
    price: 17.5,
    nothing: null,
    days: ['2024-01-07'],
    card: { day: '2024-01-07', none: null },
  });
  expect(said).toBe(
    "2024-01-07 2024-01-02T03:04:10.250000 2024-01-02T03:04:05.250001007 2024-01-02T08:04:05.250000+00:00 03:04:05 17.5 None ['2024-01-07'] {'day': '2024-01-07', 'none': None}",
  );
  const files = [0, 2].map((group) => join(path, 'parquet-files', `batch_0000${group}.parquet`));
  const [before, after] = await Promise.all(files.map(schemaOf));
  expect(after).toEqual(before);
});
