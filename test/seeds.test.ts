import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import {
  ColumnRegistry,
  homeFolder,
  loadDocument,
  parseDataset,
  parseRunConfig,
  readHome,
  type RowOf,
  type SeedDeclaration,
} from '@data-designer/config';
import { compile, preview as previewPlan, WorkerPool } from '@data-designer/engine';
import { inspectSeed, seedSource } from '@data-designer/seeds';
import { readStreams } from '@data-designer/dataset';
import { conformance, readRows } from './conformance/read-rows.ts';
import { startDataDesigner } from './command-line.ts';
import { openLocalHub } from './hub-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'seeds-'));
const artifactPath = join(folder, 'artifacts');
const shared = new DataDesigner({ artifactPath });

beforeEach(() => mkdirSync(folder, { recursive: true }));

afterEach(() => rmSync(folder, { recursive: true }));

afterAll(() => shared[Symbol.asyncDispose]());

function write(name: string, content: string | Buffer): string {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const COPY = { name: 'copy', column_type: 'expression', expr: '{{ name }}' };

/** The one designer of these tests, whose threads are warm, with other settings. */
const designer = (runConfig: object = {}) => shared.setRunConfig({ seed: 4, ...runConfig });

type Source = SeedDeclaration['source'];

/** A dataset of seed rows and one column made of them. */
function declared(source: Source, expr = '{{ n }}', options: Omit<SeedDeclaration, 'source'> = {}) {
  return new DataDesignerConfigBuilder()
    .withSeedDataset(source, options)
    .addColumn({ name: 'line', columnType: 'expression', expr });
}

/** The column of a preview. */
async function lines(...[source, expr, options, numRecords = 4]: [...Parameters<typeof declared>, number?]) {
  const preview = await designer().preview(declared(source, expr, options), { numRecords });
  return (await Array.fromAsync(preview.records())).map((record) => (record as { readonly line: string }).line);
}

/** What another reader finds in Parquet files. */
async function query(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  return rows;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n, t: `row ${n}` }));
const csv = (count: number) =>
  `n,t\n${numbers(count)
    .map(({ n, t }) => `${n},${t}\n`)
    .join('')}`;

async function* later<Row>(rows: Iterable<Row>): AsyncGenerator<Row> {
  for (const row of rows) yield await Promise.resolve(row);
}

test.each<[string, () => Source | Promise<Source>]>([
  ['a CSV file', () => ({ seedType: 'local', path: write('a.csv', csv(3)) })],
  ['a JSON file', () => ({ seedType: 'local', path: write('a.json', JSON.stringify(numbers(3))) })],
  [
    'JSON lines',
    () => ({
      seedType: 'local',
      path: write(
        'a.jsonl',
        numbers(3)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      ),
    }),
  ],
  [
    'all files of a kind',
    () => {
      write('parts/b.csv', 'n,t\n2,row 2\n');
      write('parts/a.csv', csv(2));
      return { seedType: 'local', path: join(folder, 'parts', '*.csv') };
    },
  ],
  ['an array', () => ({ seedType: 'df', rows: numbers(3) })],
  ['a set', () => ({ seedType: 'df', rows: new Set(numbers(3)) })],
  ['rows that come later', () => ({ seedType: 'df', rows: later(numbers(3)) })],
  [
    'an Arrow table',
    async () => {
      const made = await designer().preview(declared({ seedType: 'df', rows: numbers(3) }), { numRecords: 3 });
      return { seedType: 'df', rows: made.toArrow().select(['n', 't']) };
    },
  ],
])('%s returns its rows in order and starts again after the last', { tags: 'long' }, async (_, source) => {
  expect(await lines(await source(), '{{ n }} {{ t }}')).toEqual(['0 row 0', '1 row 1', '2 row 2', '0 row 0']);
});

test('a Parquet seed keeps its types, in files that other tools read', async () => {
  const path = join(folder, 'typed.parquet');
  await query(`COPY (SELECT * FROM (VALUES
    (1, 1.0::DOUBLE, DATE '2024-01-02', TIMESTAMP '2024-01-02 03:04:05', [1.5, 2.0], {'a': 1, 'd': DATE '2024-01-03'}, true),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL)) t(i, f, d, ts, l, s, b)) TO '${path}' (FORMAT parquet)`);
  const source = { seedType: 'local', path } as const;
  const results = await designer().create(
    declared(source, '{{ i }}|{{ f }}|{{ d }}|{{ ts }}|{{ l }}|{{ s.d }}|{{ b }}'),
    {
      numRecords: 1,
    },
  );
  const [record] = await Array.fromAsync(results.records());
  expect(record).toEqual({
    line: '1|1.0|2024-01-02|2024-01-02T03:04:05|[1.5, 2.0]|2024-01-03|True',
    i: 1,
    f: 1,
    d: '2024-01-02',
    ts: '2024-01-02T03:04:05',
    l: [1.5, 2],
    s: { a: 1, d: '2024-01-03' },
    b: true,
  });
  const files = join(results.path, 'parquet-files', '*.parquet');
  expect(
    await query(`SELECT typeof(i), typeof(f), typeof(d), typeof(l), typeof(s), typeof(b) FROM '${files}'`),
  ).toEqual([['BIGINT', 'DOUBLE', 'DATE', 'DECIMAL(2,1)[]', 'STRUCT(a BIGINT, d DATE)', 'BOOLEAN']]);
  expect(
    await lines(source, '{{ i }}|{{ f }}|{{ d }}|{{ b }}', { selectionStrategy: { start: 1, end: 1 } }, 1),
  ).toEqual(['None|None|None|None']);
});

test('a Hub seed is downloaded once, and a resume uses its recorded commit', { tags: 'long' }, async () => {
  const [old, young] = ['a1'.repeat(20), 'b2'.repeat(20)];
  const revisions: Record<string, string> = { main: old, first: old };
  const files = { 'data/a.csv': { content: csv(3) }, 'data/b.csv': { content: 'n,t\n3,row 3\n' } };
  await using hub = await openLocalHub({ 'acme/ships': { revisions, files } });
  const home = { ...readHome(), folder: homeFolder({ DATA_DESIGNER_HOME: join(folder, 'home') }) };
  const own = (privateAddresses: boolean) =>
    new DataDesigner({ artifactPath, home, runConfig: { seed: 4 }, permissions: { privateAddresses } });
  const config = declared(
    { seedType: 'hf', path: 'datasets/acme/ships/data/*.csv', endpoint: hub.endpoint },
    '{{ t }}',
  );
  await expect(own(false).create(config)).rejects.toMatchObject({ code: 'hub/refused' });
  expect((await own(true).check(config)).violations).toEqual([]);
  expect(hub.asked).toEqual([]);
  const { path } = await own(true).create(config, { numRecords: 2 });
  expect(readFileSync(join(path, 'run.json'), 'utf8')).toContain(`"revision": "${old}"`);
  const downloads = () => hub.asked.filter((one) => one.path.includes('/resolve/')).length;
  expect(downloads()).toBe(2);
  revisions.main = young;
  const results = await own(true).create(config, { numRecords: 6, resume: 'always' });
  const texts = (await Array.fromAsync(results.records())).map(({ line }) => line);
  expect(texts).toEqual(['row 0', 'row 1', 'row 2', 'row 3', 'row 0', 'row 1']);
  expect(downloads()).toBe(2);
});

interface Previewed {
  readonly file: string;
  readonly preview?: { readonly requested: number; readonly records?: readonly Record<string, unknown>[] };
}

// Of columns that cannot be carried out yet, as processors, nothing is to be compared.
const FACTS = readRows<Previewed>('configs.jsonl').filter(
  ({ file, preview }) => file.includes('/seed_') && preview?.records,
);

test.each(FACTS)('$file is read as the Python tool reads it', { tags: 'long' }, async ({ file, preview }) => {
  const document = loadDocument(join(conformance, file));
  const results = await designer().preview(
    { document, source: file, folder: join(conformance, 'configs') },
    { numRecords: preview?.requested ?? 0 },
  );
  const records = await Array.fromAsync(results.records());
  // There a missing number is a float that is none; here it is missing.
  const expected = preview?.records?.map((record) => ({ ...record, line: String(record.line).replace('nan', 'None') }));
  expect(records).toMatchObject(expected ?? []);
});

test.each<[SeedDeclaration['selectionStrategy'], readonly string[]]>([
  [{ start: 2, end: 3 }, ['2', '3', '2', '3', '2']],
  [{ index: 1, numPartitions: 2 }, ['3', '4', '5', '6', '3']],
  [{ index: 0, numPartitions: 3 }, ['0', '1', '0', '1', '0']],
])('the rows of the selection %j are used in order', async (selectionStrategy, expected) => {
  const rows = numbers(7);
  expect(await lines({ seedType: 'df', rows }, '{{ n }}', { selectionStrategy }, 5)).toEqual(expected);
});

test('a shuffled seed has one order per run seed, whatever the size of row groups', { tags: 'long' }, async () => {
  const source = { seedType: 'local', path: write('a.csv', csv(50)) } as const;
  const config = declared(source, '{{ n }}', { samplingStrategy: 'shuffle' });
  const made: unknown[][] = [];
  for (const bufferSize of [7, 100, 1000]) {
    const results = await designer({ bufferSize }).create(config, { numRecords: 130, datasetName: `by-${bufferSize}` });
    made.push(await Array.fromAsync(results.records()));
  }
  const preview = await designer().preview(config, { numRecords: 130 });
  made.push(await Array.fromAsync(preview.records()));
  for (const rows of made) expect(rows).toEqual(made[0]);
  const order = made[0]?.map((row) => (row as { readonly n: number }).n) ?? [];
  expect(order.slice(0, 50).toSorted((a, b) => a - b)).toEqual(numbers(50).map(({ n }) => n));
  expect(order.slice(0, 50)).not.toEqual(order.slice(50, 100));
  const other = await designer({ seed: 5 }).preview(config, { numRecords: 130 });
  expect(await Array.fromAsync(other.records())).not.toEqual(made[0]);
});

test('an extended dataset equals one made at once', { tags: 'long' }, async () => {
  const source = { seedType: 'local', path: write('a.csv', csv(40)) } as const;
  for (const samplingStrategy of ['ordered', 'shuffle'] as const) {
    const config = declared(source, '{{ n }}', { samplingStrategy });
    const create = (datasetName: string, numRecords: number, resume: 'never' | 'always') =>
      designer({ bufferSize: 8 }).create(config, {
        datasetName: `${datasetName}-${samplingStrategy}`,
        numRecords,
        resume,
      });
    const whole = await create('whole', 100, 'never');
    await create('grown', 20, 'never');
    await create('grown', 60, 'always');
    utimesSync(source.path, 1, 1);
    const grown = await create('grown', 100, 'always');
    expect(await Array.fromAsync(grown.records())).toEqual(await Array.fromAsync(whole.records()));
    expect(readdirSync(join(grown.path, 'seed'))).toEqual(['part-00000.parquet']);
  }
});

test('a resume refuses a changed seed, and its rows stay', { tags: 'long' }, async () => {
  const source = { seedType: 'local', path: write('a.csv', csv(40)) } as const;
  const create = (numRecords: number, resume: 'never' | 'always') =>
    designer({ bufferSize: 8 }).create(declared(source), { numRecords, resume });
  const { path } = await create(20, 'never');
  const before = readdirSync(path, { recursive: true }).map(String);
  const record = readFileSync(join(path, 'run.json'), 'utf8');
  write('a.csv', csv(39));
  const refused = create(30, 'always');
  await expect(refused).rejects.toMatchObject({ code: 'dataset/incompatible' });
  await expect(refused).rejects.toThrow(/a\.csv has changed: it has \d+ bytes, not \d+/);
  expect(readdirSync(path, { recursive: true }).map(String)).toEqual(before);
  expect(readFileSync(join(path, 'run.json'), 'utf8')).toBe(record);
  write('a.csv', csv(40));
  expect((await create(30, 'always')).count).toBe(30);
});

test(
  'a resume refuses changed options of a seed file, and continues with those of before',
  { tags: 'long' },
  async () => {
    const path = write('options.csv', Buffer.from('a;b\n1;Z\xfcrich\n2;y\n', 'latin1'));
    const source = { seedType: 'local', path, delimiter: ';', encoding: 'latin-1', types: { a: 'text' } } as const;
    const create = (more: object, resume: 'never' | 'always') => {
      const config = declared({ ...source, ...more }, '{{ b }}');
      return designer({ bufferSize: 2 }).create(config, { numRecords: resume === 'never' ? 2 : 4, resume });
    };
    const { path: dataset } = await create({}, 'never');
    const record = readFileSync(join(dataset, 'run.json'), 'utf8');
    const changes = [{ encoding: 'cp1252' }, { types: { a: 'integer' } }, { types: { b: 'text' } }, { header: true }];
    for (const more of changes) {
      const refused = create(more, 'always');
      await expect(refused).rejects.toMatchObject({ code: 'dataset/incompatible' });
      await expect(refused).rejects.toThrow(new RegExp(`seedConfig\\.source\\.${Object.keys(more)[0]}`));
    }
    expect(readFileSync(join(dataset, 'run.json'), 'utf8')).toBe(record);
    const records = await Array.fromAsync((await create({}, 'always')).records());
    expect(records).toMatchObject([1, 2, 1, 2].map((a) => ({ a: `${a}`, line: a === 1 ? 'Zürich' : 'y' })));
  },
);

async function readTwo(source: object) {
  const preview = await designer().preview(declared(source as never, '{{ column1 }}'), { numRecords: 2 });
  return Array.fromAsync(preview.records());
}

test('the builder takes the options of a seed file in camelCase, as files do in snake_case', async () => {
  const path = write('camel.csv', Buffer.from('01|Z\xfcrich\n02|y\n', 'latin1'));
  const options = { path, delimiter: '|', header: false, encoding: 'latin-1', types: { column0: 'text' } } as const;
  const rows = [
    { column0: '01', column1: 'Zürich', line: 'Zürich' },
    { column0: '02', column1: 'y', line: 'y' },
  ];
  expect(await readTwo({ seedType: 'local', maxRowBytes: 100, ...options })).toEqual(rows);
  expect(await readTwo({ seed_type: 'local', max_row_bytes: 100, ...options })).toEqual(rows);
  await expect(readTwo({ seedType: 'local', maxRowBytes: 5, ...options })).rejects.toThrow(/camel\.csv cannot be read/);
  const built = new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'local', maxRowBytes: 100, ...options })
    .addColumn({ name: 'line', columnType: 'expression', expr: '{{ column1 }}' })
    .build();
  expect(built).toMatchObject({ seedConfig: { source: { seedType: 'local', maxRowBytes: 100, ...options } } });
});

test('a file added to a seed folder is a change', { tags: 'long' }, async () => {
  write('notes/a.txt', 'first');
  const source = { seedType: 'file_contents', path: join(folder, 'notes'), filePattern: '*.txt' } as const;
  const typed = new DataDesignerConfigBuilder().withSeedDataset(source);
  expectTypeOf<RowOf<typeof typed>['content']>().toEqualTypeOf<string>();
  const create = (resume: 'never' | 'always') =>
    designer().create(declared(source, '{{ file_name }}: {{ content }}'), { numRecords: 2, resume });
  const records = await Array.fromAsync((await create('never')).records());
  expect(records.map(({ line }) => line)).toEqual(['a.txt: first', 'a.txt: first']);
  write('notes/other.md', 'not matched');
  expect((await create('always')).count).toBe(2);
  write('notes/b.txt', 'second');
  await expect(
    designer().create(declared(source, '{{ file_name }}: {{ content }}'), { numRecords: 3, resume: 'always' }),
  ).rejects.toThrow('the seed file b.txt was not there');
});

test('seed rows that can be read once serve a preview and later datasets', { tags: 'long' }, async () => {
  let read = 0;
  async function* once() {
    for (; read < 30; read++) yield await Promise.resolve({ n: read, when: new Date(read) });
  }
  const own = designer();
  const config = new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'df', rows: once() })
    .addColumn({ name: 'line', columnType: 'expression', expr: '{{ n }} {{ when }}' });
  const report = await own.check(config);
  expect(report.runnable).toBe(true);
  const preview = await own.preview(config, { numRecords: 2 });
  const [first] = await Array.fromAsync(preview.records());
  expectTypeOf(first!).toEqualTypeOf<{ n: number; when: Date; line: string }>();
  expect(first).toMatchObject({ line: '0 1970-01-01T00:00:00.000Z' });
  await own.create(config, { numRecords: 20 });
  const results = await own.create(config, { numRecords: 40, resume: 'always' });
  const records = await Array.fromAsync(results.records());
  expect(records.map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, row) => row % 30));
  expect(read).toBe(30);
});

test('many asynchronous seed rows are streamed in small parts', { tags: 'long' }, async () => {
  const bytes = 4000;
  const count = 50_000;
  async function* rows() {
    for (let n = 0; n < count; n++) yield await Promise.resolve({ n, text: `${n}`.padEnd(bytes, 'x') });
  }
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
  const results = await designer().create(declared({ seedType: 'df', rows: rows() }, '{{ n }}'), { numRecords: 10 });
  clearInterval(watch);
  expect(results.count).toBe(10);
  // All rows together would be 200 MB, as strings 400 MB.
  expect((peak - before) / 2 ** 20).toBeLessThan(400);
});

test('wrong seed rows are reported before the run', async () => {
  const config = declared({ seedType: 'df', rows: later<Record<string, unknown>>([{ n: 1 }, { n: () => 1 }]) });
  await expect(designer().create(config)).rejects.toThrow("row 1 has a function in 'n'");
  const dead = declared({
    seedType: 'df',
    rows: (async function* () {
      yield await Promise.resolve({ n: 1 });
      throw new Error('the line went dead.');
    })(),
  });
  await expect(designer().create(dead)).rejects.toThrow('reading the rows failed after 1 rows: the line went dead.');
  await expect(designer().create(declared({ seedType: 'df', rows: numbers(2) }, '{{ m }}'))).rejects.toThrow(
    "no column 'm'",
  );
  expect(existsSync(artifactPath)).toBe(false);
});

test('a dataset that reuses a folder has the rows of its own seed', { tags: 'long' }, async () => {
  const config = { seed_config: { source: { seed_type: 'local', path: join(folder, 'again.csv') } }, columns: [COPY] };
  for (const word of ['old', 'new', 'newer']) {
    write('again.csv', `name\n${word}1\n${word}2\n`);
    rmSync(join(artifactPath, 'again'), { recursive: true, force: true });
    const results = await designer().create(
      { document: config, source: word },
      { numRecords: 2, datasetName: 'again' },
    );
    const records = await Array.fromAsync(results.records());
    expect(records.map(({ name }) => name)).toEqual([`${word}1`, `${word}2`]);
  }
});

/** The values of the column `a` of four seed rows. */
async function mixedValues(source: object): Promise<unknown[]> {
  const document = { seed_config: { source }, columns: [{ ...COPY, expr: '1' }] };
  const results = await designer().preview({ document, source: 'test' }, { numRecords: 4 });
  return (await Array.fromAsync(results.records())).map(({ a }) => a);
}

test('seed rows in memory have the values of the same rows in a file', async () => {
  const rows = [{ a: 1 }, { a: 'x' }, { a: [1] }, { a: { b: [{ c: 5 }, 1] } }];
  write('mixed.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(await mixedValues({ seed_type: 'df', rows })).toEqual(
    await mixedValues({ seed_type: 'local', path: join(folder, 'mixed.jsonl') }),
  );
});

test('a seed column with a taken name is refused', async () => {
  const config = declared({ seedType: 'df', rows: [{ n: 1, line: 'x' }] });
  await expect(designer().create(config)).rejects.toThrow("the seed also has a column 'line'");
});

test('a mistake late in a seed file ends the run before its start and leaves no files', { tags: 'long' }, async () => {
  const path = write('late.csv', csv(50_000));
  appendFileSync(path, 'x,y,z\n');
  const config = declared({ seedType: 'local', path });
  for (const numRecords of [5, 60_000]) {
    const failure = designer().create(config, { numRecords, datasetName: 'long' });
    await expect(failure).rejects.toThrow(/late\.csv cannot be read: CSV Error on Line: 50002/);
  }
  expect(existsSync(artifactPath) ? readdirSync(artifactPath) : []).toEqual([]);
});

const leftOver = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`data-designer-${process.pid}-`));

test('a preview leaves no files, also after a failure', async () => {
  const before = leftOver();
  await lines({ seedType: 'df', rows: numbers(3) });
  const path = write('late.csv', csv(50_000));
  appendFileSync(path, 'x,y,z\n');
  await expect(designer().preview(declared({ seedType: 'local', path }), { numRecords: 60_000 })).rejects.toThrow(
    'late.csv',
  );
  expect(leftOver()).toEqual(before);
});

test(
  'a run stopped during seed preparation leaves no files, and a stopped extension the old ones',
  { tags: 'long' },
  async () => {
    const path = join(folder, 'large.parquet');
    await query(
      `COPY (SELECT i AS n, repeat('x', 200) || i AS t FROM range(300000) r(i)) TO '${path}' (FORMAT parquet)`,
    );
    const config = declared({ seedType: 'local', path }, '{{ n }}', { samplingStrategy: 'shuffle' });
    const stop = async (options: { readonly resume: 'never' | 'always' }) => {
      const abort = new AbortController();
      const run = designer().create(config, {
        numRecords: 1_500_000,
        datasetName: 'kept',
        signal: abort.signal,
        ...options,
      });
      run.catch(() => {});
      while (!existsSync(join(artifactPath, 'kept', 'seed', 'tmp'))) await sleep(1);
      abort.abort();
      await expect(run).rejects.toMatchObject({ code: 'run/aborted' });
    };
    await stop({ resume: 'never' });
    expect(existsSync(artifactPath)).toBe(false);
    const first = await designer().create(config, { numRecords: 10, datasetName: 'kept' });
    const rows = await Array.fromAsync(first.records());
    await stop({ resume: 'always' });
    expect(readdirSync(join(first.path, 'seed'))).toEqual(['part-00000.parquet']);
    const again = await designer().create(config, { numRecords: 20, datasetName: 'kept', resume: 'always' });
    expect((await Array.fromAsync(again.records())).slice(0, 10)).toEqual(rows);
  },
);

test('a run killed during seed preparation starts again', { tags: 'long' }, async () => {
  const path = join(folder, 'large.parquet');
  await query(`COPY (SELECT i AS n, repeat('x', 200) || i AS t FROM range(300000) r(i)) TO '${path}' (FORMAT parquet)`);
  const config = write(
    'config.yaml',
    `columns: [{name: line, column_type: expression, expr: "{{ n }}"}]
seed_config: {source: {seed_type: local, path: "${path}"}, sampling_strategy: shuffle}
`,
  );
  const args = ['create', config, '-o', artifactPath, '-d', 'kept', '--seed', '4'];
  const { child, finished } = startDataDesigner([...args, '-n', '1500000']);
  while (!existsSync(join(artifactPath, 'kept', 'seed', 'tmp'))) await sleep(5);
  child.kill('SIGKILL');
  await finished;
  const results = await startDataDesigner([...args, '-n', '20', '-r', 'always']).finished;
  expect(results.code).toBe(0);
  expect(readdirSync(join(artifactPath, 'kept', 'seed'))).toEqual(['part-00000.parquet']);
});

test('hostile column names and paths are treated as names and paths', async () => {
  const name = `x'); COPY (SELECT 1) TO 'trap.csv'; --`;
  const path = write(`${name}.csv`, `n,"a""; DROP TABLE x; --",constructor\n1,2,3\n`);
  const results = await designer().create(declared({ seedType: 'local', path }), { numRecords: 1 });
  const [record] = await Array.fromAsync(results.records());
  expect(Object.entries(record ?? {})).toEqual(
    expect.arrayContaining([
      ['n', 1],
      ['a"; DROP TABLE x; --', 2],
      ['constructor', 3],
    ]),
  );
  const reserved = declared({ seedType: 'local', path: write('reserved.csv', 'n,__proto__\n1,3\n') });
  await expect(designer().create(reserved, { numRecords: 1 })).rejects.toThrow(
    "no seed column can be named '__proto__'",
  );
  expect(existsSync('trap.csv')).toBe(false);
  await expect(designer().create(declared({ seedType: 'local', path: '/etc/passwd' }))).rejects.toMatchObject({
    code: 'config/invalid',
  });
});

test('columns that differ only in case stay separate and are reported', async () => {
  const told: string[] = [];
  const own = new DataDesigner({ artifactPath, runConfig: { seed: 4 }, onWarning: ({ type }) => told.push(type) });
  const config = declared(
    { seedType: 'df', rows: [{ Name: 'A', name: 'b', s: { X: 1, x: 2 } }] },
    '{{ Name }}{{ name }}{{ s.X }}{{ s.x }}',
  );
  const preview = await own.preview(config, { numRecords: 1 });
  expect(await Array.fromAsync(preview.records())).toMatchObject([
    { line: 'Ab12', Name: 'A', name: 'b', s: { X: 1, x: 2 } },
  ]);
  expect(told).toEqual(['seed_column_twice']);
});

test('the side tables of a run are private files', async () => {
  if (process.platform === 'win32') return;
  const { path } = await designer().create(declared({ seedType: 'df', rows: numbers(3) }), { numRecords: 3 });
  const modes = ['seed', 'seed/part-00000.parquet'].map((part) => statSync(join(path, part)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

test('a resume finds a seed that was moved with its config', async () => {
  write('one/a.csv', csv(9));
  const config = write(
    'one/config.yaml',
    `columns: [{name: line, column_type: expression, expr: "{{ n }}"}]
seed_config: {source: {seed_type: local, path: a.csv}}
`,
  );
  const create = (place: string, numRecords: number, resume: 'never' | 'always') =>
    designer({ bufferSize: 4 }).create(
      { document: loadDocument(config), source: config, folder: join(folder, place) },
      { numRecords, resume },
    );
  await create('one', 4, 'never');
  cpSync(join(folder, 'one'), join(folder, 'two'), { recursive: true });
  rmSync(join(folder, 'one', 'a.csv'));
  expect((await create('two', 8, 'always')).count).toBe(8);
});

const folderOf = (managedAssets: string) => ({ ...readHome(), folder: { ...homeFolder(), managedAssets } });

/** A designer with collections of its own. */
const withAssets = (assets: string) =>
  new DataDesigner({ artifactPath, home: folderOf(assets), runConfig: { seed: 4 } });

const people = (count: number, params: object = {}) =>
  ({
    document: { columns: [{ name: 'buyer', column_type: 'sampler', sampler_type: 'person', params }] },
    source: `${count} people`,
  }) as const;

test('people are drawn from an installed collection without repeats, and there must be enough', async () => {
  const assets = join(conformance, 'assets');
  const preview = async () => {
    const made = await withAssets(assets).preview(people(5), { numRecords: 5 });
    return (await Array.fromAsync(made.records())) as { readonly buyer: { readonly uuid: string } }[];
  };
  const first = await preview();
  expect(new Set(first.map(({ buyer }) => buyer.uuid)).size).toBe(5);
  expect(await preview()).toEqual(first);
  await expect(withAssets(assets).preview(people(1), { numRecords: 1_000_000 })).rejects.toThrow(
    /\d+ rows of the collection 'en_US' .*1000000 different rows are needed/,
  );
  await expect(withAssets(folder).preview(people(1, { locale: 'fr_FR' }))).rejects.toThrow(
    `the collection 'fr_FR' is not installed: there is no file ${join(folder, 'datasets', 'fr_FR.parquet')}`,
  );
  expect((await withAssets(folder).check(people(1))).violations).toMatchObject([
    { type: 'collection_missing', columnName: 'buyer', path: 'columns[0].params' },
  ]);
});

test('a config with seed columns only can be run', { tags: 'long' }, async () => {
  const seed = {
    source: { seedType: 'df', rows: numbers(3) },
    samplingStrategy: 'ordered',
    selectionStrategy: null,
  } as const;
  const source = seedSource(seed, await inspectSeed(seed, { folder }));
  if (!source) throw new Error('It cannot be read.');
  const registry = new ColumnRegistry(columnTypes);
  const { config } = parseDataset({ columns: [] }, registry);
  const runConfig = parseRunConfig({ seed: 4 }, 'The test');
  const plan = compile(config, {
    registry,
    numRecords: 5,
    runConfig,
    modelProviders: [],
    knownTools: [],
    tables: [source],
  });
  await using pool = new WorkerPool();
  const never = new AbortController().signal;
  const { batches } = await previewPlan(plan, {
    providers: { models: [], tools: [] },
    modelServers: [],
    admission: null,
    allowPrivate: false,
    pool,
    tables: [source],
    maxConcurrentRowGroups: 1,
    ends: { maxDurationSeconds: null, errorRate: null },
    skippedProbes: new Map(),
    signal: never,
    drain: never,
  });
  expect((await Array.fromAsync(readStreams(batches))).map(({ n, t }) => [n, t])).toEqual([
    [0, 'row 0'],
    [1, 'row 1'],
    [2, 'row 2'],
    [0, 'row 0'],
    [1, 'row 1'],
  ]);
});

test.each([
  ['more rows than the seed has', { numRecords: 7 }, 3],
  ['as many rows', { numRecords: 3 }, undefined],
  ['more rows than a part of the seed has', { numRecords: 3, selection_strategy: { start: 1, end: 2 } }, 2],
  ['candidates, of which few are needed', { numRecords: 2, select: { where: "name != 'a'" } }, undefined],
])('a run says before its first request that it uses rows of the seed again: %s', async (_, given, again) => {
  const path = write('names.csv', 'name\na\nb\nc\n');
  const { numRecords, select, ...part } = given as { readonly numRecords: number; readonly select?: object };
  const source = { seed_type: 'local', path };
  const document = { columns: [COPY], seed_config: { source, ...part }, ...(select && { select }) };
  const found: unknown[] = [];
  await designer().create(
    { document, source: 'names' },
    { numRecords, onEvent: (event) => event.type === 'run-start' && found.push(event.seedRows) },
  );
  expect(found).toEqual([again]);
});
