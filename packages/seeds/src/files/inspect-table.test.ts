import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeclaredTable } from '@data-designer/config';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { inspectTable } from './inspect-table.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-table-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function inspect(...paths: readonly string[]) {
  return inspectTable(paths, { format: 'csv', isCounted: false });
}

test.each([
  ['Latin-1', Buffer.from('id,q\n1,é"x\n', 'latin1'), /not utf-8/, /encoding: latin-1/],
  [
    'a late byte',
    Buffer.from(`id,q\n${'1,a\n'.repeat(5000)}1,Z\xfcrich\n`, 'latin1'),
    /Line: 5002.*not utf-8/,
    /'encoding'/,
  ],
  ['an open quote', 'id,q\n1,"a\n2,b\n', /^.*line 2: a quoted cell does not end/, /Close the cell/],
  ['a ragged row', 'id,q,a\n1,b,c\n2,only\n3,c,d\n', /Line: 3/, /Add or remove cells in this line/],
])('tells what to do about %s', async (...[, content, reason, remedy]) => {
  const [finding] = (await inspect(write('bad.csv', content))).findings;
  expect(finding?.message).toMatch(reason);
  expect(finding?.remedy).toMatch(remedy);
});

test('tells what to do about bytes of another encoding beside a column of a declared type', async () => {
  const path = write('beside.csv', Buffer.from('a,b\n1,Z\xfcrich\n', 'latin1'));
  const read = (declared: object) => inspectTable([path], { format: 'csv', isCounted: false, declared });
  const [finding] = (await read({ types: { a: 'text' } })).findings;
  expect([finding?.message, finding?.remedy]).toEqual([
    expect.stringMatching(/Line: 2.*not utf-8/),
    expect.stringMatching(/encoding: latin-1/),
  ]);
  expect((await read({ types: { a: 'text' }, encoding: 'latin-1' })).findings).toEqual([]);
});

test('warns of a name with a delimiter, and of a column that a file lacks', async () => {
  const named = await inspect(write('named.csv', 'id,"q;r"\n1,a\n'));
  expect(named.findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_name' }]);
  const joined = await inspect(write('p1.csv', 'id,n\n1,a\n'), write('p2.csv', 'id\n1\n'));
  expect(joined.findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_lacking' }]);
  expect(joined.findings[0]?.message).toContain("p2.csv has no column 'n'");
});

test('warns of a key that no row of a JSON file has, once, and not of one that is null', async () => {
  const parts = [
    write('k0.jsonl', '{"id": 1, "a/b": 1, "n": 1}\n'),
    write('k1.jsonl', '{"id": 1, "n": null}\n{"id": 2, "n": null}\n'),
    write('k2.jsonl', '{"id": 1}\n{"id": 2, "n": 3}\n'),
    write('empty.jsonl', ''),
  ];
  const { findings } = await inspectTable(parts, { format: 'jsonl', isCounted: false });
  expect(findings.map(({ type, message }) => [type, message])).toEqual([
    ['seed_column_lacking', expect.stringContaining("k1.jsonl has no column 'a/b'")],
  ]);
  const lists = [write('l0.json', '[{"id": 1}]'), write('l1.json', '[{"id": 1, "n": 2}, {"id": 2}]')];
  const { findings: found } = await inspectTable(lists, { format: 'json', isCounted: false });
  expect(found).toMatchObject([{ message: expect.stringContaining("l0.json has no column 'n'") as string }]);
});

test('a small CSV file keeps long integers among decimals as text', async () => {
  const { columns } = await inspect(write('round.csv', 'id,q\n9007199254740993,abc\n1.5,abc\n'));
  expect(columns).toMatchObject([{ name: 'id', type: 'utf8' }, { name: 'q' }]);
});

test.each(['a^b\n1^2\n', 'a~b\n1~2\n', 'a:b\n1:2\n', 'a\u0001b\n1\u00012\n'])(
  'warns of one column that may be several: %j',
  async (content) => {
    const { findings } = await inspect(write('rare.csv', content));
    expect(findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_name' }]);
  },
);

test('warns of a column without a name, and not of a colon in a name alone', async () => {
  const { findings, columns } = await inspect(write('unnamed.csv', ',q\n1,"a"\n'));
  expect(columns).toMatchObject([{ name: 'column0' }, { name: 'q' }]);
  expect(findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_name' }]);
  expect(findings[0]?.message).toContain("'column0'");
  expect((await inspect(write('colon.csv', 'note: all\n"a"\n'))).findings).toEqual([]);
});

test('counts the rows of a CSV file while its types are decided', async () => {
  const path = write('counted.csv', 'id,q\n1,"a"\n2,"b"\n3,"c"\n');
  expect(await inspectTable([path], { format: 'csv', isCounted: true })).toMatchObject({ rows: 3 });
});

function inspectJson(text: string) {
  return inspectTable([write('mixed.jsonl', text)], { format: 'jsonl', isCounted: false });
}

test('refuses JSON with NaN in a column of several types, and not the word in a text', async () => {
  const { findings } = await inspectJson('{"x": [1]}\n{"x": {"a": -Infinity}}\n');
  expect(findings[0]?.message).toContain("column 'x' has NaN or an infinity within JSON or a map in row 2");
  expect((await inspectJson('{"x": [1]}\n{"x": {"a": "is NaN \\" NaN"}}\n')).findings).toEqual([]);
});

/** The messages about a Parquet file with one moment in nanoseconds. */
async function inspectMoment(nanoseconds: bigint, { isAdjustedToUTC }: { readonly isAdjustedToUTC: boolean }) {
  const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'NANOS' };
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'x', type: 'INT64', repetition_type: 'OPTIONAL', logical_type },
  ];
  const content = parquetWriteBuffer({ schema, columnData: [{ name: 'x', data: [null, nanoseconds] }] } as never);
  const path = write('moments.parquet', new Uint8Array(content));
  const { findings } = await inspectTable([path], { format: 'parquet', isCounted: false });
  return findings.map(({ message }) => message);
}

test('refuses moments with a zone whose nanoseconds DuckDB cuts', async () => {
  const moment = 1_704_164_645_123_456_789n;
  expect(await inspectMoment(moment, { isAdjustedToUTC: true })).toEqual([
    expect.stringContaining("column 'x' has moments with nanoseconds, of which only microseconds can be read"),
  ]);
  expect(await inspectMoment(moment - 789n, { isAdjustedToUTC: true })).toEqual([]);
  expect(await inspectMoment(moment, { isAdjustedToUTC: false })).toEqual([]);
});

test('decimals that a float would round become text, others floats', async () => {
  const path = join(folder, 'decimals.parquet');
  const values =
    '0.1234567890123456789::DECIMAL(38,19) AS long, 0.3::DECIMAL(38,19) AS short, NULL::DECIMAL(20,2) AS none';
  await withDuckDb((connection) => connection.run(`COPY (SELECT ${values}) TO '${path}'`));
  const { columns } = await inspectTable([path], { format: 'parquet', isCounted: false });
  expect(columns).toMatchObject([{ type: 'utf8' }, { type: 'float64' }, { type: 'float64' }]);
});

test('fractions of JSON files with more digits than a float are named', async () => {
  const path = join(folder, 'digits.jsonl');
  const rows = [
    '{"x":0.1000000000000000,"e":1.2345678901234567e-30,"t":"0.1234567890123456789","n":2}',
    '{"x":0.30000000000000004,"e":1.5,"t":"x","n":2.5}',
    '{"x":1.5,"e":[{"l":3.14159265358979323846}],"t":"x","n":3}',
    '{"x":-123456789.01234567890,"e":1.5,"t":"x","n":null}',
  ];
  const messagesOf = async (count: number) => {
    writeFileSync(path, rows.slice(0, count).join('\n'));
    const { findings } = await inspectTable([path], { format: 'jsonl', isCounted: false });
    return findings.map(({ message }) => message);
  };
  expect(await messagesOf(2)).toEqual([]);
  expect(await messagesOf(3)).toEqual([
    '3.14159265358979323846 in row 3 has more than 17 digits, and a float keeps the first 17.',
  ]);
  expect(await messagesOf(4)).toEqual([expect.stringMatching(/in row 3 .* the first of 2 rows with such numbers\.$/)]);
});

test('findings name files as the user knows them', async () => {
  const paths = [
    write('h1.jsonl', '{"a": 1, "b": 2}\n'),
    write('h2.jsonl', '{"a": 1}\n'),
    write('h3.jsonl', '{"a": \n'),
  ];
  const names = new Map(paths.map((path) => [path, `hub/${path.slice(folder.length + 1)}`]));
  const of = async (...files: readonly string[]) => {
    const { findings } = await inspectTable(files, { format: 'jsonl', isCounted: false, names });
    return findings.map(({ message }) => message);
  };
  expect(await of(...paths.slice(0, 2))).toEqual([expect.stringMatching(/^hub\/h2\.jsonl has no column 'b'/)]);
  const [unread] = await of(...paths);
  expect(unread).toMatch(/^hub\/h3\.jsonl cannot be read/);
  expect(unread).not.toContain(folder);
});

async function reasonOf(format: 'jsonl' | 'csv', paths: readonly string[], declared: DeclaredTable = {}) {
  const { findings } = await inspectTable(paths, { format, isCounted: false, declared });
  return findings[0]?.message.replaceAll(`${folder}/`, '');
}

test('a row that cannot be read is named by its file and its number there', async () => {
  const good = write('p1.jsonl', '{"a": 1}\n{"a": 2}\n');
  const mixed = write('p2.jsonl', '{"a": 3}\n5\n');
  expect(await reasonOf('jsonl', [good, mixed])).toBe(
    'p2.jsonl cannot be read: row 2 is no object, and other rows are.',
  );
  const large = write('p3.jsonl', '{"a": 1.5}\n{"a": 1e999}\n');
  expect(await reasonOf('jsonl', [good, large])).toMatch(/^p3\.jsonl cannot be read: the value of 'a' in row 2 has/);
  const long = write('p4.jsonl', '{"a": 1.5}\n{"a": 0.12345678901234567890123}\n');
  expect(await reasonOf('jsonl', [good, long])).toMatch(/^p4\.jsonl: 0\.1234567890123\d* in row 2 has more than/);
  // Files in UTF-16 are read from copies, so their rows are counted together.
  const wide = (name: string, text: string) => write(name, Buffer.from(`\ufeff${text}`, 'utf16le'));
  const copied = [wide('w1.jsonl', '{"a": 1}\n'), wide('w2.jsonl', '{"a": 0.12345678901234567890123}\n')];
  expect(await reasonOf('jsonl', copied)).toMatch(
    /^One of 2 files .*: 0\.1234567890123\d* in row 2 of all of them has/,
  );
  const [first, second] = [write('p1.csv', 'id\n1\n'), write('p2.csv', 'id\n2\nx\n')];
  expect(await reasonOf('csv', [first, second], { types: { id: 'integer' } })).toBe(
    `One of 2 files (the first is p1.csv) cannot be read: column 'id' has "x" in row 3 of all of them, which is no integer.`,
  );
});
