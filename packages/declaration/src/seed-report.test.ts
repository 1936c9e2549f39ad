import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DataDesignerConfigBuilder } from './config-builder.ts';
import { DataDesigner } from '../../designer/src/data-designer.ts';
import { printSeed } from './seed-report.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seed-report-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What a check reports of a seed file. */
async function reportOf(name: string, content: string | Uint8Array) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const config = new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'local', path })
    .addColumn({ name: 'x', columnType: 'expression', expr: 'x' });
  await using designer = new DataDesigner();
  return (await designer.check(config)).seed;
}

test.each([
  [
    'codes.csv',
    'id;zip;at\n1;00501;2024-01-02\n',
    '1 csv file, 1 row, encoding utf-8, delimiter ";", names in the first line',
    'id (integer), zip (text), at (date)',
  ],
  [
    'plain.csv',
    'id,name\n1,bob\n2,ann\n',
    '1 csv file, 2 rows, encoding utf-8, delimiter ",", names in the first line',
    'id (integer), name (text)',
  ],
  [
    'rows.csv',
    Buffer.from("\uFEFF1.5|'a|b'\n2.5|'c'\n", 'utf16le'),
    '1 csv file, 2 rows, encoding utf-16, delimiter "|", quote \', no names in the first line',
    'column0 (float), column1 (text)',
  ],
  [
    'lines.jsonl',
    '{"a":1,"b":[1.5],"c":{"d":true},"e":[1,"x"]}\n',
    '1 jsonl file, 1 row, encoding utf-8',
    'a (integer), b (list of float), c (mapping), e (values of several types, or a map)',
  ],
])('reports how %s is read', async (...[name, content, line, columns]) => {
  const seed = await reportOf(name, content);
  expect(seed && printSeed(seed)).toBe(`Seed: ${line}\nSeed columns: ${columns}\n`);
});

test('reports no seed for a file that cannot be read', async () => {
  expect(await reportOf('bad.csv', 'id,q\n1,"a\n')).toBeNull();
});
