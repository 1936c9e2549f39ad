import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  ['mixed line ends', 'id,q\r\n1,"a"\n2,"b"\r\n', /lines end in different ways/, /one kind of line ends/],
  ['mixed line ends without quotes', 'id,q\n1,a"\r\n2,b\n', /lines end in different ways/, /one kind of line ends/],
  ['an open quote', 'id,q\n1,"a\n2,b\n', /^.*line 2: a quoted cell does not end/, /Close the cell/],
  ['a ragged row', 'id,q,a\n1,b,c\n2,only\n3,c,d\n', /Line: 3/, /Add or remove cells in this line/],
])('tells what to do about %s', async (...[, content, reason, remedy]) => {
  const [finding] = (await inspect(write('bad.csv', content))).findings;
  expect(finding?.message).toMatch(reason);
  expect(finding?.remedy).toMatch(remedy);
});

test('warns of a name with a delimiter, and of a column that a file lacks', async () => {
  const named = await inspect(write('named.csv', 'id,"q;r"\n1,a\n'));
  expect(named.findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_name' }]);
  const joined = await inspect(write('p1.csv', 'id,n\n1,a\n'), write('p2.csv', 'id\n1\n'));
  expect(joined.findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_lacking' }]);
  expect(joined.findings[0]?.message).toContain("p2.csv has no column 'n'");
});

test('a small CSV file keeps long integers among decimals as text', async () => {
  const { columns } = await inspect(write('round.csv', 'id,q\n9007199254740993,abc\n1.5,abc\n'));
  expect(columns).toMatchObject([{ name: 'id', type: 'utf8' }, { name: 'q' }]);
});
