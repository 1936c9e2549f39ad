import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPrivateDocument } from './load-private-document.ts';

const KEY = 'sk-canary-77aa';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The error of loading a file; undefined if it loads. */
function failureOf(name: string): Error | undefined {
  try {
    loadPrivateDocument(join(folder, name));
    return undefined;
  } catch (thrown) {
    return thrown as Error;
  }
}

test.each([
  ['an unknown alias', 'a.yaml', `api_key: *${KEY}`],
  ['a tag', 'a.yaml', `api_key: !${KEY} x`],
  ['text after text', 'a.yaml', `api_key: "x" ${KEY}`],
  ['an unclosed text', 'a.yaml', `api_key: "${KEY}`],
  ['a line without a colon', 'a.yaml', `providers:\n  api_key ${KEY}\n  name: x`],
  ['a key without a space', 'a.yaml', `providers:\n  - name: x\n    api_key:${KEY}\n    endpoint: y`],
  ['a bad indent', 'a.yaml', `providers:\n  - name: x\n   api_key: ${KEY}`],
  ['truncated JSON', 'a.json', `{"api_key": "${KEY}"`],
  ['JSON without quotes', 'a.json', `{"api_key": ${KEY}}`],
])('%s: loading the file does not show the key', (_, name, text) => {
  writeFileSync(join(folder, name), text);
  const failure = failureOf(name);
  expect(failure?.message ?? 'it is not valid YAML').toMatch(/it is (?:not valid (?:YAML|JSON)|nested)/);
  expect(inspect(failure, { depth: 10 }).replace(/\n\s+at .*/g, '')).not.toContain('canary');
});

test('the error names the line of a mistake', () => {
  writeFileSync(join(folder, 'b.yaml'), 'a: 1\nb: "x" y\n');
  expect(failureOf('b.yaml')?.message).toMatch(/b\.yaml:2:\d+: it is not valid YAML\. Correct the text there\.$/);
});

test('the error says why a file cannot be read', () => {
  expect(failureOf('none.yaml')?.message).toContain('there is no such file');
  mkdirSync(join(folder, 'folder.yaml'));
  expect(failureOf('folder.yaml')?.message).toContain('it is a folder');
  writeFileSync(join(folder, 'empty.yaml'), ' \n');
  expect(failureOf('empty.yaml')?.message).toContain('it is empty');
});
