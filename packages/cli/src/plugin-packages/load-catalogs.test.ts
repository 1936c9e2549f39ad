import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homeFolder, type HomeFolder } from '@data-designer/config';
import { deleteCopy, documentOf, loadCatalog } from './load-catalogs.ts';

let folder: HomeFolder;
let server: Server;
let url: string;
let status: number;
let catalog: string;
let requests: number;
let warnings: string[];

const EMPTY = JSON.stringify({ schema_version: 1, packages: [] });

beforeEach(async () => {
  folder = homeFolder({ DATA_DESIGNER_HOME: mkdtempSync(join(tmpdir(), 'catalogs-')) });
  [status, catalog, requests, warnings] = [200, EMPTY, 0, []];
  server = createServer((_, response) => {
    requests++;
    response.writeHead(status).end(catalog);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/plugins.json?token=secret`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder.path, { recursive: true });
});

function warn(warning: string): void {
  warnings.push(warning);
}

function load({ refresh = false, cacheTtlSeconds = 86_400, source = url } = {}): Promise<unknown> {
  return loadCatalog({ alias: 'acme', url: source, cacheTtlSeconds }, { folder, refresh, warn });
}

/** The stored copy. */
function copy(): string {
  const [file = ''] = readdirSync(folder.pluginCatalogCache);
  return join(folder.pluginCatalogCache, file);
}

function changeCopy(fields: object): void {
  writeFileSync(copy(), JSON.stringify({ ...JSON.parse(readFileSync(copy(), 'utf8')), ...fields }));
}

test('a recent copy is used, an old one is downloaded again', async () => {
  await load();
  await load();
  expect(requests).toBe(1);
  changeCopy({ fetched_at: '2020-01-01T00:00:00Z' });
  await load();
  await load({ refresh: true });
  await load({ cacheTtlSeconds: 0 });
  expect(requests).toBe(4);
  changeCopy({ fetched_at: '2999-01-01T00:00:00Z' });
  await load();
  expect(requests).toBe(5);
  expect(warnings).toEqual([]);
});

test.skipIf(process.platform === 'win32')('the copy is private, and contains no secret of the address', async () => {
  await load();
  expect(readFileSync(copy(), 'utf8')).not.toContain('secret');
  expect(statSync(copy()).mode & 0o777).toBe(0o600);
  deleteCopy({ alias: 'acme', url, cacheTtlSeconds: 0 }, folder);
  expect(readdirSync(folder.pluginCatalogCache)).toEqual([]);
});

test('an old copy replaces a catalog that cannot be downloaded, with a warning, but not with --refresh', async () => {
  await load();
  changeCopy({ fetched_at: '2020-01-01T00:00:00.000Z' });
  status = 503;
  expect(await load()).toMatchObject({ alias: 'acme', packages: [] });
  expect(warnings).toEqual([
    expect.stringMatching(
      /^The catalog 'acme' is the copy of 2020-01-01T00:00:00\.000Z, because it cannot be downloaded\. Cannot read .*plugins\.json: the server responded with status 503/,
    ),
  ]);
  await expect(load({ refresh: true })).rejects.toThrow('status 503');
});

test('a catalog with mistakes is an error, also if there is a copy', async () => {
  await load();
  catalog = '{"schema_version": 1}';
  await expect(load({ refresh: true })).rejects.toThrow('packages: this key is missing');
  catalog = '';
  await expect(load({ refresh: true })).rejects.toThrow('it is empty');
  catalog = '<html>';
  await expect(load({ refresh: true })).rejects.toThrow(/Cannot read http:\/\/127\.0\.0\.1:\d+\/plugins\.json:1:1/);
  expect(await load()).toMatchObject({ packages: [] });
});

test('a damaged copy counts as none', async () => {
  await load();
  writeFileSync(copy(), '{');
  await load();
  changeCopy({ catalog: { schema_version: 3 } });
  await load();
  expect(requests).toBe(3);
});

test('a file, and a folder with plugins.json or catalog/plugins.json, are read anew each time', async () => {
  const file = join(folder.path, 'mine.json');
  writeFileSync(file, EMPTY);
  mkdirSync(join(folder.path, 'repository', 'catalog'), { recursive: true });
  writeFileSync(join(folder.path, 'repository', 'catalog', 'plugins.json'), EMPTY);
  for (const source of [file, join(folder.path, 'repository'), join(folder.path, 'repository', 'catalog')]) {
    expect(await load({ source })).toEqual({ alias: 'acme', source, packages: [] });
  }
  writeFileSync(file, '');
  await expect(load({ source: file })).rejects.toThrow('it is empty');
  await expect(load({ source: join(folder.path, 'nowhere') })).rejects.toThrow('there is no such file');
  await expect(load({ source: folder.path })).rejects.toThrow('neither plugins.json nor catalog/plugins.json');
});

test.each([
  ['https://github.com/acme/sets', 'https://github.com/acme/sets/blob/HEAD/catalog/plugins.json'],
  ['https://github.com/acme/sets.git', 'https://github.com/acme/sets/blob/HEAD/catalog/plugins.json'],
  ['https://github.com/acme/sets/tree/v1/', 'https://github.com/acme/sets/blob/v1/catalog/plugins.json'],
  ['https://github.com/acme/sets/tree/v1/a/catalog', 'https://github.com/acme/sets/blob/v1/a/catalog/plugins.json'],
  ['https://github.com/acme/sets/blob/v1/a.json', 'https://github.com/acme/sets/blob/v1/a.json'],
  ['https://example.org/acme/sets', 'https://example.org/acme/sets'],
])('the catalog of %s is %s', (address, file) => {
  expect(documentOf(address)).toBe(file);
});
