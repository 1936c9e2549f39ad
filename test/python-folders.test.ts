import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner, loadDataset } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** A dataset of NeMo Data Designer 0.9.7: five rows in groups of two, with traces, free-form data and a dropped column. */
const fixtures = fileURLToPath(new URL('fixtures/python-0.9.7', import.meta.url));
const config = (): object => JSON.parse(readFileSync(join(fixtures, 'config.json'), 'utf8')) as object;

let folder: string;
let designer: DataDesigner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'python-folders-'));
  cpSync(join(fixtures, 'made'), join(folder, 'made'), { recursive: true });
  designer = new DataDesigner({ artifactPath: folder });
});

afterEach(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const create = (options: Parameters<DataDesigner['create']>[1], document = config()) =>
  designer.create({ document, source: 'the test' }, { datasetName: 'made', ...options });
const metadata = (name = 'made') => JSON.parse(readFileSync(join(folder, name, 'metadata.json'), 'utf8')) as object;
const files = (part = 'parquet-files') => readdirSync(join(folder, 'made', part)).toSorted();

test('a dataset that the Python tool made can be read, profiled and exported', async () => {
  const results = await loadDataset(join(folder, 'made'));
  const records = await Array.fromAsync(results.records());
  expect(records).toHaveLength(5);
  const [{ topic, said, said__trace: trace, card } = {}] = records;
  expect(trace).toMatchObject([{ role: 'user' }, { role: 'assistant', content: said }]);
  expect([['tea', 'salt'].includes(String(topic)), card]).toEqual([
    true,
    { title: expect.any(String) as string, more: expect.any(Object) as object },
  ]);
  expect((await results.toArrow()).numRows).toBe(5);
  const { columns } = (await results.loadAnalysis()).profile;
  expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(['topic', 'said', 'card']));
  const chats = join(folder, 'chats.jsonl');
  await results.export(chats, { format: 'chat-jsonl' });
  const [first = ''] = readFileSync(chats, 'utf8').split('\n');
  expect(JSON.parse(first)).toEqual({
    messages: [
      { role: 'user', content: expect.stringContaining('A fact about') as string },
      { role: 'assistant', content: said },
    ],
  });
});

test('a dataset that the Python tool made is continued in its row groups and types, also twice', async () => {
  const before = await Array.fromAsync((await loadDataset(join(folder, 'made'))).records());
  const { config_hash: hash } = metadata() as { readonly config_hash: string };
  const grown = await Array.fromAsync((await create({ numRecords: 8, resume: 'always' })).records());
  expect(grown.slice(0, 5)).toEqual(before);
  expect(grown).toHaveLength(8);
  const names = [0, 1, 2, 3, 4].map((group) => `batch_0000${group}.parquet`);
  expect([files(), files('dropped-columns-parquet-files')]).toEqual([names, names]);
  expect(metadata()).toMatchObject({
    config_hash: hash,
    buffer_size: 2,
    original_target_num_records: 5,
    target_num_records: 8,
  });
  const again = await create({ numRecords: 9, resume: 'always' });
  expect((await Array.fromAsync(again.records())).slice(0, 8)).toEqual(grown);
});

test('a dataset that the Python tool made of another configuration is not continued', async () => {
  const events: string[] = [];
  const other = JSON.parse(JSON.stringify(config()).replace('A fact', 'One fact')) as object;
  await expect(create({ numRecords: 8, resume: 'always' }, other)).rejects.toMatchObject({
    code: 'dataset/incompatible',
    message: expect.stringContaining('NeMo Data Designer made it of another configuration') as string,
  });
  const onEvent = ({ type }: { readonly type: string }) => void events.push(type);
  const fresh = await create({ numRecords: 2, resume: 'if_possible', onEvent }, other);
  expect([fresh.path === join(folder, 'made'), events.includes('resume-fail')]).toEqual([false, true]);
  expect(files()).toHaveLength(3);
});

test('only a dataset with the types of the Python tool has its hash', async () => {
  await create({ numRecords: 2, datasetName: 'own' });
  expect(metadata('own')).toMatchObject({ config_hash: expect.stringMatching(/^other-files:sha256:/) as string });
  designer.setRunConfig({ pythonLayout: true });
  await create({ numRecords: 2, datasetName: 'python' });
  expect(metadata('python')).toMatchObject({
    config_hash: (metadata() as { readonly config_hash: string }).config_hash,
  });
});
