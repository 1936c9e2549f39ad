import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listen, openLocalHub, TOKEN } from './hub-server.ts';
import { COMMIT, DATASETS, LARGE, OTHER, useHub } from './use-hub.ts';

const hub = useHub();

test('a file is cached under host, dataset and commit, readable by the user only', async () => {
  const { files, format, commit } = await hub.fetching('datasets/acme/ships/data/a.csv');
  const host = encodeURIComponent(hub.server.endpoint);
  const path = join(hub.cacheFolder, host, 'acme', 'ships', COMMIT, 'data', 'a.csv');
  expect({ files, format, commit }).toEqual({ files: [path], format: 'csv', commit: COMMIT });
  expect(readFileSync(path, 'utf8')).toBe('a\n1\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(hub.kept()).toEqual([`${host}/acme/ships/${COMMIT}/data/a.csv`]);
});

test.each([
  ['data/*.csv', ['a\n1\n', 'a\n2\n']],
  ['data/?.csv', ['a\n1\n', 'a\n2\n']],
  ['data/[!a].csv', ['a\n2\n']],
  ['data/**/*.csv', ['a\n1\n', 'a\n2\n', 'a\n4\n', 'a\n3\n']],
  ['**/c.csv', ['a\n3\n']],
  ['*/more/*.csv', ['a\n3\n']],
  ['data/lang=*/*.csv', ['a\n4\n']],
  ['data/lang=en/d \\[1\\] #\\?%.csv', ['a\n4\n']],
  ['*.csv', ['']],
])('%s matches its files over all pages of the listing, in order', async (pattern, contents) => {
  expect(await hub.texts(`datasets/acme/ships/${pattern}`)).toEqual(contents);
});

test.each([
  ['datasets/acme/ships@v1/data/a.csv', COMMIT],
  [`datasets/acme/ships@${COMMIT}/data/a.csv`, COMMIT],
  ['datasets/acme/ships@refs/convert/parquet/data/a.csv', OTHER],
  ['datasets/acme/ships@refs%2Fconvert%2Fparquet/data/a.csv', OTHER],
  ['datasets/acme/ships@~parquet/data/a.csv', OTHER],
  ['datasets/tides/all/t.json', COMMIT],
  ['datasets/tides@main/all/t.json', COMMIT],
])('%s is recorded with its commit', async (path, commit) => {
  expect(await hub.fetching(path)).toMatchObject({ commit, files: [expect.stringContaining(commit)] });
});

test('a recorded commit is used again even if the revision has moved', async () => {
  expect(await hub.fetching('datasets/acme/ships/data/a.csv', { commit: OTHER })).toMatchObject({ commit: OTHER });
});

test('a cached file of the right size is not downloaded again', async () => {
  const path = 'datasets/acme/ships/data/*.csv';
  const { files } = await hub.fetching(path);
  const [a, b] = files as [string, string];
  writeFileSync(a, 'b\n1\n');
  expect(await hub.texts(path)).toEqual(['b\n1\n', 'a\n2\n']);
  const before = hub.downloads().length;
  expect(before).toBe(2);
  writeFileSync(b, 'too long');
  expect(await hub.texts(path)).toEqual(['b\n1\n', 'a\n2\n']);
  const since = hub.downloads().slice(before);
  expect(since.map((one) => one.path.split('/').at(-1))).toEqual(['b.csv']);
});

test('two servers, and two addresses of one, do not share the cache', async () => {
  await using other = await openLocalHub({
    'acme/ships': { revisions: { main: COMMIT }, files: { 'data/a.csv': { content: 'b\n9\n' } } },
  });
  await using mirror = await openLocalHub(DATASETS, { prefix: '/mirror' });
  expect(await hub.texts('datasets/acme/ships/data/a.csv')).toEqual(['a\n1\n']);
  expect(await hub.texts('datasets/acme/ships/data/a.csv', { endpoint: other.endpoint })).toEqual(['b\n9\n']);
  expect(await hub.texts('datasets/acme/ships/data/a.csv', { endpoint: `${mirror.endpoint}/` })).toEqual(['a\n1\n']);
  expect(hub.kept()).toHaveLength(3);
});

test('the server of a large file does not receive the token', async () => {
  const { files } = await hub.fetching('datasets/acme/secret/large.parquet', {
    token: 'HF_TOKEN',
    environment: { HF_TOKEN: TOKEN },
  });
  expect(readFileSync(files[0] as string).equals(LARGE)).toBe(true);
  const tokens = (server: string) =>
    new Set(hub.server.asked.filter((one) => one.server === server).map((one) => one.authorization));
  expect(tokens('hub')).toEqual(new Set([`Bearer ${TOKEN}`]));
  expect(tokens('storage')).toEqual(new Set([undefined]));
});

test.each([
  ['${MY_TOKEN}', { MY_TOKEN: TOKEN }],
  ['MY_TOKEN', { MY_TOKEN: `${TOKEN}\n` }],
  [TOKEN, {}],
])('the token %j opens a private dataset', async (token, environment) => {
  expect(await hub.texts('datasets/acme/secret/data/a.csv', { token, environment })).toEqual(['a\n1\n']);
});

test('without a token in the config none is sent, whatever the environment holds', async () => {
  await hub.texts('datasets/acme/ships/data/a.csv', { environment: { HF_TOKEN: TOKEN } });
  expect(new Set(hub.server.asked.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
});

test('a redirect to another server and back does not carry the token', async () => {
  const location = `${hub.server.endpoint}/datasets/acme/ships/resolve/${COMMIT}/data/a.csv?back`;
  const back = await listen((_, response) => response.writeHead(302, { location }).end());
  hub.answerFirst('/resolve/', (_, response) => response.writeHead(302, { location: `${back.origin}/x` }).end());
  expect(await hub.texts('datasets/acme/ships/data/a.csv', { token: TOKEN })).toEqual(['a\n1\n']);
  expect(hub.downloads().map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`, undefined]);
  await back.close();
});

test('the next page on another server is requested without the token', async () => {
  const seen: (string | undefined)[] = [];
  const elsewhere = await listen((request, response) => {
    seen.push(request.headers.authorization);
    response.end('[]');
  });
  hub.answerAll('/tree/', (_, response) => {
    response.writeHead(200, { link: `<${elsewhere.origin}/page>; rel="next"` });
    response.end(JSON.stringify([{ type: 'file', path: 'data/a.csv', size: 4 }]));
  });
  expect(await hub.texts('datasets/acme/ships/data/*.csv', { token: TOKEN })).toEqual(['a\n1\n']);
  expect(seen).toEqual([undefined]);
  await elsewhere.close();
});
