import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DataDesigner, type DatasetCreationResults, loadDataset } from 'data-designer';
import { afterAll, expect, test } from 'vitest';
import type { DataDesignerError } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { startSimulator } from '@data-designer/simulator';

type Format = 'parquet' | 'arrow';

const ROWS = 40;
const GROUP_ROWS = 10;
const root = mkdtempSync(join(tmpdir(), 'changed-files-'));
const simulator = await startSimulator();
const provider = { name: 'local', endpoint: simulator.url, providerType: 'openai', apiKey: null, extraBody: null };
const providers = { models: [{ ...provider, extraHeaders: null }], tools: [] };
const runConfig = { bufferSize: GROUP_ROWS, seed: 3 };
const designer = new DataDesigner({ artifactPath: root, providers, runConfig });

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

const LOCAL = {
  source: 'the test',
  document: {
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {}, drop: true },
      { name: 'share', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } },
      { name: 'word', column_type: 'expression', expr: 'word {{ id }}' },
    ],
  },
};

const ASKED = {
  source: 'the test',
  document: {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'local', pricing: { input: 2, output: 2 } }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'fact', column_type: 'llm-text', model_alias: 'writer', prompt: 'A fact on {{ id }}.' },
    ],
  },
};

interface Whole {
  readonly name: string;
  readonly rows: unknown[];
  readonly dropped: unknown[];
}

/** The folders that hold data files of these datasets. */
const MAIN = 'parquet-files';
const DROPPED = 'dropped-columns-parquet-files';
const path = (...parts: string[]) => join(root, ...parts);

async function rowsOf(file: string): Promise<unknown[]> {
  const { readerOf } = await import('../packages/dataset/src/read/file-rows.ts');
  return (await Array.fromAsync((await readerOf(file)).readBlocks(file, 0))).flat();
}

/** The values of the left out column, which nothing but its files holds. */
async function droppedOf(name: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (const file of readdirSync(path(name, DROPPED)).filter((one) => /\.(parquet|arrow)$/.test(one))) {
    const from = path(name, DROPPED, file);
    rows.push(...(await rowsOf(from)));
  }
  return rows;
}

const wholes = new Map<string, Promise<Whole>>();

/** A dataset that is whole, made once: in one file, or one for each row group. */
function whole(format: Format, compact: boolean): Promise<Whole> {
  const name = `${format}-${compact ? 'merged' : 'single'}`;
  const made = wholes.get(name) ?? make(name, format, compact);
  wholes.set(name, made);
  return made;
}

async function make(name: string, format: Format, compact: boolean): Promise<Whole> {
  designer.setRunConfig({ ...runConfig, compact });
  const results = await designer.create(LOCAL, { numRecords: ROWS, format, datasetName: name });
  return { name, rows: await Array.fromAsync(results.records()), dropped: await droppedOf(name) };
}

let copies = 0;

/** A copy of a dataset, in one file of which a bit is another. */
function withFlip(name: string, { folder = MAIN, file, at }: { folder?: string; file: string; at: number }): string {
  const copy = `copy${copies++}`;
  cpSync(path(name), path(copy), { recursive: true });
  const bytes = readFileSync(path(copy, folder, file));
  bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
  writeFileSync(path(copy, folder, file), bytes);
  return copy;
}

/** Places spread over a file. */
function placesIn(name: string, file: string, count: number): readonly number[] {
  const size = readFileSync(path(name, file)).length;
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * size) / count));
}

async function resume(
  name: string,
  {
    format = 'parquet',
    declared = LOCAL,
    reRequest = false,
  }: { format?: Format; declared?: object; reRequest?: boolean } = {},
) {
  const events: RunEvent[] = [];
  const results = await designer.create(declared as typeof LOCAL, {
    numRecords: ROWS,
    format,
    datasetName: name,
    resume: 'always',
    reRequest,
    onEvent: (event) => events.push(event),
  });
  const damaged = events.find((event) => event.type === 'rows-damaged');
  const made = events.flatMap((event) => (event.type === 'row-group-end' ? [event.group] : []));
  return { rows: await Array.fromAsync(results.records()), damaged, made, events };
}

const firstFile = (name: string, folder = MAIN) => readdirSync(path(name, folder)).toSorted()[0] as string;

const KINDS = (['parquet', 'arrow'] as const).flatMap((format) =>
  [true, false].map((compact) => [format, compact ? 'merged' : 'single', compact] as const),
);

for (const [format, kind, compact] of KINDS)
  test(
    `a resume finds a flipped bit in a ${format} file (${kind}) and makes its row group again`,
    {
      tags: format === 'arrow' ? 'long' : [],
    },
    async () => {
      const { name, rows, dropped } = await whole(format, compact);
      designer.setRunConfig({ ...runConfig, compact });
      const madeAgain = new Set<number>();
      for (const folder of [MAIN, DROPPED]) {
        const file = firstFile(name, folder);
        const end = readFileSync(path(name, folder, file)).length - 20;
        for (const at of [...placesIn(name, join(folder, file), 3), end]) {
          const copy = withFlip(name, { folder, file, at });
          const resumed = await resume(copy, { format });
          expect(resumed.rows).toEqual(rows);
          expect(await droppedOf(copy)).toEqual(dropped);
          expect(resumed.damaged).toMatchObject({ files: [join(folder, file)], cost: 0 });
          expect(resumed.damaged).toMatchObject({ rows: resumed.made.length * GROUP_ROWS });
          madeAgain.add(resumed.made.length);
        }
      }
      // Of a merged file one row group, or all where what describes them is damaged.
      expect(madeAgain).toEqual(new Set(compact ? [1, 4] : [1]));
    },
  );

/** The ways in which rows are read, each as rows. */
function readings(results: DatasetCreationResults): readonly (() => Promise<unknown[]>)[] {
  const exported = (name: string) => async () => {
    await results.export(path(name));
    if (name.endsWith('.jsonl')) return linesOf(readFileSync(path(name), 'utf8'));
    await results.export(path(name));
    return rowsOf(path(name));
  };
  return [
    () => Array.fromAsync(results.records()),
    async () => (await results.toArrow()).toArray().map((row) => ({ ...(row as object) })),
    ...['rows.jsonl', 'rows.parquet', 'rows.arrow'].map(exported),
  ];
}

const groupsIn = (text: string) => linesOf(text).map((line) => (line as { groups: unknown }).groups);

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

for (const [format, kind, compact] of KINDS)
  test(
    `after any flipped bit in a ${format} file (${kind}) readers return the right rows or name the file and the remedy`,
    { tags: format === 'parquet' && compact ? [] : 'long' },
    async () => {
      const { name, rows } = await whole(format, compact);
      const file = firstFile(name);
      for (const hasChecksums of [true, false]) {
        // Without a checksum a bit within a value makes another value.
        const stood = ['the right rows', 'damaged', ...(hasChecksums ? [] : ['other rows'])];
        for (const at of placesIn(name, join(MAIN, file), hasChecksums ? 4 : 6)) {
          const copy = withFlip(name, { file, at });
          if (!hasChecksums) rmSync(path(copy, 'checksums.jsonl'));
          for (const outcome of await outcomesOf(copy, { file, rows })) expect(stood).toContain(outcome);
        }
      }
    },
  );

/** What comes of all readings of a dataset. */
async function outcomesOf(name: string, { file, rows }: { file: string; rows: unknown[] }): Promise<unknown[]> {
  const told = (thrown: unknown) => {
    // By its code: the published package has a class of errors of its own.
    const { code, data, message } = thrown as DataDesignerError<'dataset/damaged'>;
    const isTold =
      code === 'dataset/damaged' &&
      data.path === path(name, MAIN, file) &&
      /^Cannot read .+: .+\. Resume the dataset/.test(message);
    return isTold ? 'damaged' : thrown;
  };
  try {
    const results = await loadDataset(path(name));
    const readAll = readings(results).map((read) => () => read().catch(told));
    const outcomes: unknown[] = [];
    for (const read of readAll) {
      const outcome = await read();
      if (!Array.isArray(outcome)) outcomes.push(outcome);
      else outcomes.push(isDeepStrictEqual(outcome, rows) ? 'the right rows' : 'other rows');
    }
    return outcomes;
  } catch (thrown) {
    return [told(thrown)];
  }
}

test.each(['parquet', 'arrow'] as const)(
  'a resume decodes the rows of a dataset without checksums and adds the checksums (%s)',
  { tags: 'long' },
  async (format) => {
    const { name, rows } = await whole(format, true);
    const file = firstFile(name);
    const copy = withFlip(name, { file, at: 0 });
    cpSync(path(name, MAIN, file), path(copy, MAIN, file));
    const before = readFileSync(path(copy, 'checksums.jsonl'), 'utf8');
    rmSync(path(copy, 'checksums.jsonl'));
    expect(await resume(copy, { format })).toMatchObject({ rows, made: [], damaged: undefined });
    expect(groupsIn(readFileSync(path(copy, 'checksums.jsonl'), 'utf8'))).toEqual(groupsIn(before));
  },
);

test('a damaged line of checksums.jsonl does not make a file look damaged', async () => {
  const { name, rows } = await whole('parquet', true);
  const copy = `copy${copies++}`;
  cpSync(path(name), path(copy), { recursive: true });
  const text = readFileSync(path(copy, 'checksums.jsonl'), 'utf8');
  writeFileSync(
    path(copy, 'checksums.jsonl'),
    text.replaceAll('"crc32":1', '"crc32":2').replaceAll('"crc32":9', '"crc32":8'),
  );
  expect(await resume(copy)).toMatchObject({ rows, made: [], damaged: undefined });
});

test('paid rows in damaged files are re-requested only if allowed, and no others', { tags: 'long' }, async () => {
  designer.setRunConfig({ ...runConfig, compact: true });
  const made = await designer.create(ASKED, { numRecords: ROWS, datasetName: 'asked' });
  const rows = await Array.fromAsync(made.records());
  const file = firstFile('asked');
  const copy = withFlip('asked', { file, at: placesIn('asked', join(MAIN, file), 8)[1] as number });
  const before = (readdirSync(path(copy), { recursive: true }) as string[]).toSorted();
  const { requests } = await simulator.stats();
  const refused = resume(copy, { declared: ASKED });
  await expect(refused).rejects.toMatchObject({
    code: 'dataset/damaged-rows',
    data: { files: [join(MAIN, file)], rows: GROUP_ROWS, cost: expect.closeTo((made.cost as number) / 4, 4) as number },
    message: expect.stringContaining('--re-request') as string,
  });
  expect((await simulator.stats()).requests).toBe(requests);
  expect((readdirSync(path(copy), { recursive: true }) as string[]).toSorted()).toEqual(before);
  const resumed = await resume(copy, { declared: ASKED, reRequest: true });
  expect(resumed.made).toHaveLength(1);
  expect((await simulator.stats()).requests - requests).toBeLessThanOrEqual(GROUP_ROWS + 1);
  expect(resumed.rows).toEqual(rows);
});

test.each([0, 1, 2])('a repair interrupted at step %i is completed', { tags: 'long' }, async (step) => {
  const { name, rows } = await whole('parquet', true);
  const file = firstFile(name);
  designer.setRunConfig({ ...runConfig, compact: false });
  const at = placesIn(name, join(MAIN, file), 8)[2] as number;
  const mended = withFlip(name, { file, at });
  const [made] = (await resume(mended)).made;
  const parts = readdirSync(path(mended, MAIN)).filter(
    (one) => one !== `batch_0000${made}.parquet` && one.endsWith('t'),
  );
  expect(parts.length).toBeGreaterThan(0);
  const copy = withFlip(name, { file, at });
  mkdirSync(path(copy, 'mended-files', MAIN), { recursive: true });
  cpSync(path(mended, 'checksums.jsonl'), path(copy, 'checksums.jsonl'));
  for (const part of parts) cpSync(path(mended, MAIN, part), path(copy, 'mended-files', MAIN, part));
  if (step > 0) renameSync(path(copy, MAIN, file), path(copy, MAIN, `${file}.damaged`));
  if (step > 1) renameSync(path(copy, 'mended-files', MAIN, parts[0] as string), path(copy, MAIN, parts[0] as string));
  const resumed = await resume(copy);
  expect(resumed.rows).toEqual(rows);
  expect(resumed.made).toHaveLength(1);
  expect(readdirSync(path(copy))).not.toContain('mended-files');
});

const DERIVED = [
  'target_num_records',
  'actual_num_records',
  'num_completed_batches',
  'file_paths',
  'config_hash',
  'usage',
];

/** What `metadata.json` says that other files of the dataset say too. */
function derivedOf(name: string): unknown[] {
  const metadata = JSON.parse(readFileSync(path(name, 'metadata.json'), 'utf8')) as Record<string, unknown>;
  return DERIVED.map((key) => metadata[key]);
}

test('damaged files that can be derived do not prevent a resume', { tags: 'long' }, async () => {
  const { name, rows } = await whole('parquet', true);
  const before = derivedOf(name);
  for (const text of ['', '{"target_num_records": 4', '[]', 'null']) {
    const copy = `copy${copies++}`;
    cpSync(path(name), path(copy), { recursive: true });
    writeFileSync(path(copy, 'metadata.json'), text);
    writeFileSync(path(copy, 'profile.json'), text);
    for (const log of ['usage', 'failures', 'checksums']) {
      appendFileSync(path(copy, `${log}.jsonl`), `7\nnull\n{"group":0}\n{"group":0,"usage":{"wri`);
    }
    const resumed = await resume(copy);
    expect(resumed).toMatchObject({ rows, made: [], damaged: undefined });
    expect(resumed.events.filter((event) => event.type === 'metadata-derive')).toMatchObject([
      { path: path(copy, 'metadata.json') },
    ]);
    expect(derivedOf(copy)).toEqual(before);
    expect((await (await loadDataset(path(copy))).loadAnalysis()).profile.records).toBe(ROWS);
    expect((await resume(copy)).events.filter((event) => event.type === 'metadata-derive')).toEqual([]);
  }
});

async function requestsSent(): Promise<number> {
  return (await simulator.stats()).requests;
}

const PAID = {
  source: 'the test',
  document: {
    model_configs: [
      ...ASKED.document.model_configs,
      { alias: 'painter', model: 'sim-image', provider: 'local', inference_parameters: { generation_type: 'image' } },
    ],
    columns: [
      ...ASKED.document.columns,
      { name: 'share', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 }, drop: true },
      { name: 'art', column_type: 'image', model_alias: 'painter', prompt: 'A picture of {{ id }}.' },
    ],
    processors: [
      { name: 'chats', processor_type: 'schema_transform', template: { q: '{{ id }} {{ share }}', a: '{{ fact }}' } },
      { name: 'texts', processor_type: 'schema_transform', template: { text: '{{ fact }}' } },
    ],
  },
};

test(
  'what side tables and images have lost is made again from the rows, or as damaged rows',
  { tags: 'long' },
  async () => {
    designer.setRunConfig({ ...runConfig, compact: false });
    const { path: folder } = await designer.create(PAID, { numRecords: ROWS, datasetName: 'paid' });
    const filesOf = (name: string) =>
      readdirSync(path(name), { recursive: true, encoding: 'utf8' }).filter((one) => /\.(?:parquet|png)$/.test(one));
    const contents = (name: string) => filesOf(name).map((one) => [one, readFileSync(path(name, one), 'latin1')]);
    const images = filesOf('paid').filter((one) => one.endsWith('.png'));
    expect(images).toHaveLength(ROWS);
    const before = contents('paid');
    const sent = await requestsSent();
    const chats = join('processors-files', 'chats', 'batch_00001.parquet');
    const texts = join('processors-files', 'texts', 'batch_00002.parquet');
    rmSync(path('paid', chats));
    writeFileSync(path('paid', texts), 'PAR1');
    const { events } = await resume('paid', { declared: PAID });
    expect(events.filter(({ type }) => type === 'side-tables-restore')).toMatchObject([
      { path: folder, files: [chats, texts] },
    ]);
    expect(contents('paid')).toEqual(before);
    expect(await requestsSent()).toBe(sent);
    const shown = images[0] as string;
    const lost = [
      [join(DROPPED, 'batch_00003.parquet'), (file: string) => rmSync(file)],
      [shown, (file: string) => rmSync(file)],
      [shown, (file: string) => writeFileSync(file, readFileSync(path('paid', images[1] as string)))],
      [join('processors-files', 'texts'), (file: string) => rmSync(file, { recursive: true })],
    ] as const;
    for (const [name, damage] of lost.slice(0, 3)) {
      const copy = `copy${copies++}`;
      cpSync(path('paid'), path(copy), { recursive: true });
      damage(path(copy, name));
      const refused = resume(copy, { declared: PAID });
      await expect(refused).rejects.toMatchObject({
        code: 'dataset/damaged-rows',
        data: { files: [name], rows: GROUP_ROWS },
      });
      expect(await requestsSent()).toBe(sent);
    }
    // Without its checksum nothing proves that a table made of the rows is the lost one.
    const unproven = `copy${copies++}`;
    cpSync(path('paid'), path(unproven), { recursive: true });
    const log = path(unproven, 'checksums.jsonl');
    const lines = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, lines.filter((line) => !line.includes('processors-files/chats/batch_00001')).join('\n'));
    rmSync(path(unproven, chats));
    await expect(resume(unproven, { declared: PAID })).rejects.toMatchObject({ data: { files: [chats] } });
    // This copy lacks an image: making its group again writes it.
    const last = `copy${copies - 2}`;
    await resume(last, { declared: PAID, reRequest: true });
    expect(new Set(filesOf(last))).toEqual(new Set(before.map(([name]) => name)));
    rmSync(path('paid', lost[3][0]), { recursive: true });
    await resume('paid', { declared: PAID });
    expect(contents('paid')).toEqual(before);
  },
);

test('checksums of other files are named, instead of all rows being made again', { tags: 'long' }, async () => {
  designer.setRunConfig({ ...runConfig, seed: 4, compact: false });
  await designer.create(LOCAL, { numRecords: ROWS, datasetName: 'others' });
  const { name } = await whole('parquet', false);
  const copy = `copy${copies++}`;
  cpSync(path(name), path(copy), { recursive: true });
  cpSync(path('others', 'checksums.jsonl'), path(copy, 'checksums.jsonl'));
  designer.setRunConfig({ ...runConfig, compact: false });
  await expect(resume(copy)).rejects.toThrow(`Cannot read ${path(copy, 'checksums.jsonl')}: no data file`);
  rmSync(path(copy, 'checksums.jsonl'));
  expect((await resume(copy)).damaged).toBeUndefined();
});
