import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Float, isFailure } from '@data-designer/core';
import { type ConfigSource, readSource } from './read-source.ts';

let folder: string;
let server: Server;
let origin: string;

/** The documents that the server holds, by path. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  '/config.yaml': 'columns: []\nversion: 1e-05\n',
  '/config.json': '{"columns": [], "version": 1e-05}',
  '/address.yaml': 'https://example.org/config.yaml',
  '/path.yaml': '/etc/hosts.yaml',
  '/empty.yaml': ' \n',
  '/yaml.json': 'columns: []',
  '/list.yaml': '- columns',
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'source-'));
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    response.writeHead(pathname in DOCUMENTS ? 200 : 404).end(DOCUMENTS[pathname]);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const read = (given: ConfigSource) => readSource(given, { allowPrivate: true });

/** The path and reason of the failure to read a source. */
async function refusal(given: ConfigSource): Promise<{ path: string; reason: string }> {
  const thrown = await read(given).catch((failure: unknown) => failure);
  if (!isFailure(thrown, 'config/unreadable')) throw new Error('it was read', { cause: thrown });
  return thrown.data;
}

test('readSource reads a file and reports its path as the source', async () => {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, 'columns: []\n');
  expect(await readSource(path)).toEqual({ document: { columns: [] }, source: path, origin: 'local' });
  writeFileSync(join(folder, 'plain'), 'columns: []\n');
  expect((await readSource(join(folder, 'plain'))).document).toEqual({ columns: [] });
});

test('readSource takes text and mappings as the config itself', async () => {
  const rest = { source: 'The config', origin: 'local' };
  const document = { columns: [] };
  expect(await readSource(document)).toEqual({ document, ...rest });
  for (const text of ['columns: []', 'columns: []\n', '{"columns": []}', '{columns: []}', '\n{ columns: [], }\n'])
    expect(await readSource(text)).toEqual({ document, ...rest });
});

test('numbers follow JSON in JSON text and YAML in YAML text', async () => {
  expect((await readSource('{"a": 1e-05, "b": 1.0}')).document).toEqual({ a: 1e-5, b: new Float(1) });
  expect((await readSource('{a: 1e-05}')).document).toEqual({ a: '1e-05' });
});

test('readSource fetches an address, parses it by its suffix and hides its secrets', async () => {
  expect(await read(`${origin}/config.yaml?token=secret`)).toEqual({
    document: { columns: [], version: '1e-05' },
    source: `${origin}/config.yaml`,
    origin: 'address',
  });
  expect((await read(` ${origin}/config.json\n`)).document).toEqual({ columns: [], version: 1e-5 });
});

test('readSource refuses a local server unless private addresses are allowed', async () => {
  await expect(readSource(`${origin}/config.yaml`)).rejects.toThrow('is on this machine or its network');
});

test.each([
  ['/address.yaml', 'it must be a mapping of keys to values'],
  ['/path.yaml', 'it must be a mapping of keys to values'],
  ['/list.yaml', 'it must be a mapping of keys to values'],
  ['/empty.yaml', 'it is empty'],
  ['/absent.yaml', 'the server has no file at this address (404); check the address, and that the file is public'],
])('readSource refuses %s, which holds no config', async (path, reason) => {
  expect(await refusal(origin + path)).toEqual({ path: origin + path, reason });
});

test('a document at an address that ends in .json must be JSON', async () => {
  expect(await refusal(`${origin}/yaml.json`)).toMatchObject({ path: `${origin}/yaml.json` });
});

test.each([
  ['missing.yaml', 'missing.yaml', 'there is no such file'],
  ['missing.yml', 'missing.yml', 'there is no such file'],
  ['missing.json', 'missing.json', 'there is no such file'],
  ['no-suffix', 'no-suffix', 'there is no such file'],
  ['{a: b}.yaml', '{a: b}.yaml', 'there is no such file'],
  [
    'ftp://example.org/a.yaml',
    'ftp://example.org/a.yaml',
    /^addresses must start with https:\/\/ or http:\/\/, not ftp:/,
  ],
  ['file:///etc/hosts.yaml', 'file:///etc/hosts.yaml', /^addresses must start with https:\/\/ or http:\/\/, not file:/],
  ['https://example.org/a b', 'https://example.org/a%20b', /does not end in/],
  ['', 'the given text', 'it is empty'],
  ['\n \n', 'the given text', 'it is empty'],
  ['- a\n- b\n', 'the given config', 'it must be a mapping of keys to values'],
  ['{"columns": ', 'the given text', /./],
  ['a\0b.yaml', 'the given config', 'it must be a mapping of keys to values'],
  [[], 'the given config', 'it must be a mapping of keys to values'],
  [new Map([['columns', []]]), 'the given config', 'it must be a mapping of keys to values'],
])('readSource says why it cannot read %j', async (given, path, reason) => {
  const refused = await refusal(given);
  expect(refused.path).toBe(path);
  expect(refused.reason).toMatch(reason);
});

test.each(['[', '{"a":'])('readSource refuses text that nests %s too deeply', async (opening) => {
  const text = `{"a": ${opening.repeat(10_000)}`;
  expect((await refusal(text)).path).toBe('the given text');
  const closed = `{"a": ${'['.repeat(1000)}${']'.repeat(1000)}}`;
  expect((await refusal(closed)).reason).toContain('nested');
});
