import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonTooDeep } from './json-depth.ts';

let file: string;

beforeAll(() => {
  file = join(mkdtempSync(join(tmpdir(), 'json-depth-')), 'x.json');
});

afterAll(() => rmSync(join(file, '..'), { recursive: true }));

const deep = `${'[{"a":'.repeat(300)}1${'}]'.repeat(300)}`;

test.each([
  ['a plain table', '[{"a":[1,2],"b":{"c":[]}}]', false],
  ['many rows', '{"a":[1]}\n'.repeat(500), false],
  ['brackets in text', JSON.stringify([{ a: '['.repeat(1000), b: '\\"['.repeat(1000) }]), false],
  ['brackets that are never closed, line by line', '}\n'.repeat(300) + '{"a":1}\n', false],
  ['nesting', deep, true],
  ['nesting behind a torn text', `{"a":"torn\n${deep}`, true],
  ['nesting behind a backslash at the end of a line', `"\\\n${deep}`, true],
  ['nesting behind closing brackets', `${']'.repeat(1000)}${deep}`, true],
  ['nesting that begins late', `${' '.repeat(1_100_000)}${deep}`, true],
  ['nesting behind a long text', `["${'x'.repeat(500)}",${deep}]`, true],
  ['nesting behind a long text that ends in backslashes', `["${'x'.repeat(500)}\\\\\\\\",${deep}]`, true],
  ['brackets in a long text behind an escaped quote', `["${'x'.repeat(500)}\\\\\\"${'['.repeat(1000)}"]`, false],
  ['nesting behind a long torn text', `{"a":"${'x'.repeat(500)}\n${deep}`, true],
  ['nesting behind a long text torn at a backslash', `{"a":"${'x'.repeat(500)}\\\n${deep}`, true],
  ['brackets behind texts of 65 bytes', `["${'x'.repeat(65)}\\"${'['.repeat(1000)}","${'y'.repeat(65)}"]`, false],
  ['a text over the end of a piece', `["${'x'.repeat(1024 * 1024 - 3)}\\"${'['.repeat(1000)}"]`, false],
])('checks the depth of %s', async (_, text, tooDeep) => {
  writeFileSync(file, text);
  expect(await isJsonTooDeep(file)).toBe(tooDeep);
});
