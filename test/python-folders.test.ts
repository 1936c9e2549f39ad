import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner, loadDataset, openViewer } from 'data-designer';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordAnswer } from '../packages/viewer/src/api/record.ts';
import { dataDesigner } from './command-line.ts';

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

test('a dataset that the Python tool made can be read, profiled and exported', { tags: 'long' }, async () => {
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

test(
  'a dataset that the Python tool made is continued in its row groups and types, also twice',
  { tags: 'long' },
  async () => {
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
  },
);

test('a dataset that the Python tool made of another configuration is not continued', { tags: 'long' }, async () => {
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

test('only a dataset with the types of the Python tool has its hash', { tags: 'long' }, async () => {
  await create({ numRecords: 2, datasetName: 'own' });
  expect(metadata('own')).toMatchObject({ config_hash: expect.stringMatching(/^other-files:sha256:/) as string });
  designer.setRunConfig({ pythonLayout: true });
  await create({ numRecords: 2, datasetName: 'python' });
  expect(metadata('python')).toMatchObject({
    config_hash: (metadata() as { readonly config_hash: string }).config_hash,
  });
});

const JSON_STORAGE = { 'x-data-designer-storage': 'json' };

/** The config with values that 0.10.0 stores as JSON text: a whole column, a member, and the items of a list. */
function storingJson(): object {
  const { data_designer: declared } = config() as { readonly data_designer: { readonly columns: readonly object[] } };
  const member = { type: 'object', additionalProperties: { type: 'integer' } };
  const open = (more: object) => ({
    type: 'object',
    properties: {
      title: { type: 'string' },
      more: { ...member, ...more },
      notes: { type: 'array', items: { ...member, ...more } },
    },
    required: ['title', 'more', 'notes'],
  });
  const [topic, id] = declared.columns;
  const card = { column_type: 'llm-structured', model_alias: 'shaped', prompt: 'A card about {{ topic }} {{ id }}.' };
  const format = { type: 'json_schema', json_schema: { name: 'card', schema: open({}) } };
  const shaped = { alias: 'shaped', model: 'sim-small', provider: 'simulator' };
  return {
    data_designer: {
      ...declared,
      columns: [
        topic,
        id,
        { ...card, name: 'card', output_format: open(JSON_STORAGE) },
        { ...card, name: 'whole', output_format: open({}), storage_encoding: 'json' },
        { name: 'told', column_type: 'expression', expr: '{{ card.more }} {{ whole.title }}' },
      ],
      model_configs: [{ ...shaped, inference_parameters: { extra_body: { response_format: format } } }],
    },
  };
}

/** The values of a file as other readers see them. */
async function seenByOthers(path: string): Promise<readonly Record<string, unknown>[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors });
}

/** Writes a file again as another tool would: without the metadata that names our types. */
async function withoutOurMetadata(path: string): Promise<void> {
  const file = await asyncBufferFromFile(path);
  const { schema, key_value_metadata: known } = await parquetMetadataAsync(file);
  const rows = await parquetReadObjects({ file, compressors });
  const names = Object.keys(rows[0] ?? {});
  expect(known?.map(({ key }) => key)).toContain('data-designer:fields');
  const writer = new ParquetWriter({ writer: fileWriter(path), schema });
  await writer.write({ columnData: names.map((name) => ({ name, data: rows.map((row) => row[name]) })) });
  await writer.finish();
}

/** The first record as the viewer sends it to its page. */
async function viewedRecord(path: string): Promise<RecordAnswer> {
  await using viewer = await openViewer(path);
  const { origin, hash } = new URL(viewer.address);
  const post = (name: string, body: object, cookie = ''): Promise<Response> => {
    const headers = { 'content-type': 'application/json', cookie };
    return fetch(`${origin}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const entered = await post('token', { token: hash.replace('#t=', '') });
  const dataset = path.split('/').at(-1);
  const answer = await post('record', { dataset, index: 0 }, entered.headers.get('set-cookie')?.split(';')[0]);
  expect(answer.status).toBe(200);
  return (await answer.json()) as RecordAnswer;
}

test.each([false, true])(
  'declared JSON storage holds text in files, and values elsewhere (python_layout: %s)',
  { tags: 'long' },
  async (pythonLayout) => {
    designer.setRunConfig({ pythonLayout, bufferSize: 2 });
    const report = await designer.check({ document: storingJson(), source: 'the test' });
    expect(report.violations).toEqual([]);
    const results = await create({ numRecords: 4, datasetName: 'stored' }, storingJson());
    const records = await Array.fromAsync(results.records());
    for (const { card, whole, told } of records) {
      const notes = expect.arrayContaining([expect.any(Object)]) as unknown[];
      const value = { title: expect.any(String) as string, more: expect.any(Object) as object, notes };
      expect([card, whole]).toEqual([value, value]);
      expect(told).toContain((whole as { readonly title: string }).title);
    }
    const path = join(results.path, 'parquet-files');
    const stored = (
      await Promise.all(
        readdirSync(path)
          .toSorted()
          .map((name) => seenByOthers(join(path, name))),
      )
    ).flat();
    expect(stored.map(({ whole }) => JSON.parse(whole as string) as unknown)).toEqual(
      records.map(({ whole }) => whole),
    );
    const cards = stored.map(({ card }) => card as { title: string; more: string; notes: string[] });
    expect(
      cards.map(({ title, more, notes }) => ({
        title,
        more: JSON.parse(more) as unknown,
        notes: notes.map((note) => JSON.parse(note) as unknown),
      })),
    ).toEqual(records.map(({ card }) => card));
    // The same values for people who look at them.
    const { stdout } = await dataDesigner(['show', results.path, '--json', '-n', '4']);
    expect(JSON.parse(stdout)).toMatchObject({ records });
    const viewed = await viewedRecord(results.path);
    const kinds = viewed.fields.map(({ column, value }) => [column, Object(value).as as unknown]);
    expect(kinds).toEqual(expect.arrayContaining(['card', 'whole'].map((name) => [name, 'struct'])));
    // The same values in exports, as a seed, and in a longer run.
    await results.export(join(folder, 'rows.jsonl'));
    const lines = readFileSync(join(folder, 'rows.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(records);
    const seeded = (await results.toConfigBuilder()).addColumn({
      name: 'again',
      columnType: 'expression',
      expr: '{{ card.more }} {{ card.notes[0] }} {{ whole.title }}',
    });
    const again = await Array.fromAsync((await designer.preview(seeded, { numRecords: 4 })).records());
    expect(again.map(({ card, whole }) => [card, whole])).toEqual(records.map(({ card, whole }) => [card, whole]));
    const longer = await create({ numRecords: 6, datasetName: 'stored', resume: 'always' }, storingJson());
    expect((await Array.fromAsync(longer.records())).slice(0, 4)).toEqual(records);
  },
);

test(
  'JSON text of a dataset of the Python tool is read as its config declares, and continued',
  { tags: 'long' },
  async () => {
    designer.setRunConfig({ pythonLayout: true, bufferSize: 2 });
    const made = await create({ numRecords: 4, datasetName: 'made-there' }, storingJson());
    const records = await Array.fromAsync(made.records());
    const path = join(made.path, 'parquet-files');
    for (const name of readdirSync(path)) await withoutOurMetadata(join(path, name));
    for (const name of ['run.json', 'run.copy.json', 'profile.json', 'checksums.jsonl', 'usage.jsonl'])
      rmSync(join(made.path, name), { force: true });
    const { config_hash, buffer_size, target_num_records } = metadata('made-there') as Record<string, unknown>;
    const theirs = { config_hash, buffer_size, target_num_records };
    writeFileSync(join(made.path, 'metadata.json'), JSON.stringify(theirs));
    const loaded = await loadDataset(made.path);
    expect(await Array.fromAsync(loaded.records())).toEqual(records);
    const dropped = await create({ numRecords: 6, datasetName: 'made-there', resume: 'always' }, storingJson());
    const grown = await Array.fromAsync(dropped.records());
    expect([grown.length, grown.slice(0, 4)]).toEqual([6, records]);
    const [last = ''] = readdirSync(path).toSorted().toReversed();
    const [{ whole, card } = {}] = await seenByOthers(join(path, last));
    expect([typeof whole, typeof (card as { more: unknown }).more]).toEqual(['string', 'string']);
  },
);

const fingerprint = async (data_designer: object) =>
  (await designer.check({ document: { data_designer }, source: 'the test' })).fingerprint;

test('keys with the defaults of 0.10.0 leave the fingerprint as it was', async () => {
  const { data_designer: declared } = config() as { readonly data_designer: { readonly columns: readonly object[] } };
  const columns = declared.columns.map((column) => ({ ...column, storage_encoding: null }));
  const processors = [{ name: 'tidy', processor_type: 'drop_columns', column_names: ['id'] }];
  const listed = processors.map((one) => ({ ...one, columns_added: [], columns_removed: [] }));
  expect(await fingerprint({ ...declared, columns, processors: listed })).toBe(
    await fingerprint({ ...declared, processors }),
  );
  const { data_designer: storing } = storingJson() as { readonly data_designer: object };
  expect(await fingerprint(storing)).not.toBeNull();
});

test('validate names the values that Parquet cannot hold, and a wrong mark', async () => {
  const document = JSON.parse(
    JSON.stringify(config()).replace(
      '"additionalProperties"',
      '"x-data-designer-storage":"text","additionalProperties"',
    ),
  ) as object;
  const { violations } = await designer.check({ document, source: 'the test' });
  expect(violations.map(({ type, level, path, message }) => [type, level, path, message])).toEqual([
    [
      'invalid_params',
      'ERROR',
      expect.stringContaining('output_format') as string,
      "'x-data-designer-storage' has a value other than 'json'.",
    ],
    [
      'json_storage',
      'WARNING',
      expect.stringContaining('output_format') as string,
      "Parquet has no type for 'more', so the files have JSON text there.",
    ],
  ]);
});

const fieldsOf = async (...documents: readonly object[]) =>
  Promise.all(
    documents.map(async (document) =>
      (await designer.validate({ document, source: 'x' })).fields.map(({ name }) => name),
    ),
  );

test('the order of columns and processors does not decide which columns are dropped', async () => {
  const columns = [
    { name: 'a', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    { name: 'b', column_type: 'expression', expr: '{{ a }}' },
  ];
  const processors = [
    { name: 'first', processor_type: 'drop_columns', column_names: ['a'] },
    { name: 'shape', processor_type: 'schema_transform', template: { of: '{{ b }}' } },
  ];
  expect(
    await fieldsOf(
      { columns, processors },
      { processors, columns: columns.toReversed() },
      { columns, processors: processors.toReversed() },
    ),
  ).toEqual([['b'], ['b'], ['b']]);
});
