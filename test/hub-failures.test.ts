import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FailureCode } from '@data-designer/core';
import { listen, TOKEN } from './hub-server.ts';
import { failure, type Fetching, useHub } from './use-hub.ts';

const hub = useHub();

const ships = 'datasets/acme/ships';

interface Case {
  readonly path: string;
  readonly options?: Fetching;
  readonly code: FailureCode;
  readonly said: RegExp;
}

const ACCESS: readonly Case[] = [
  {
    path: 'datasets/acme/secret/a.csv',
    code: 'hub/unauthorized',
    said: /is private or does not exist.*token: HF_TOKEN/,
  },
  { path: 'datasets/acme/none/a.csv', code: 'hub/unauthorized', said: /'acme\/none'.*is private or does not exist/ },
  {
    path: 'datasets/acme/none/a.csv',
    options: { token: TOKEN },
    code: 'hub/missing',
    said: /^127\.0\.0\.1:\d+ has no dataset 'acme\/none'\./,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { token: 'hf_wrong' },
    code: 'hub/unauthorized',
    said: /\(status 401\): the given token is not accepted/,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { token: 'HF_TOKEN', environment: { HF_TOKEN: 'hf_wrong' } },
    code: 'hub/unauthorized',
    said: /the token in the variable HF_TOKEN is not accepted/,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { token: 'HF_TOKEN' },
    code: 'secret/missing',
    said: /'hf' \(token\) needs the environment variable HF_TOKEN/,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { token: '${HF_TOKEN}' },
    code: 'secret/missing',
    said: /HF_TOKEN, which is not set/,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { token: 'hf_wrong\r\nx: y' },
    code: 'hub/unauthorized',
    said: /contains invalid characters/,
  },
  {
    path: 'datasets/acme/terms/data/a.csv',
    options: { token: TOKEN },
    code: 'hub/unauthorized',
    said: /accept its terms\. Accept the terms at http\S*\/datasets\/acme\/terms/,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { endpoint: 'https://u:word@example.org' },
    code: 'hub/refused',
    said: /the endpoint is not a plain http/,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { endpoint: 'ftp://example.org' },
    code: 'hub/refused',
    said: /, not ftp:\/\//,
  },
  {
    path: `${ships}/data/a.csv`,
    options: { allowPrivate: false },
    code: 'hub/refused',
    said: /is on this machine or its network; pass --allow-private/,
  },
];

const FILES: readonly Case[] = [
  { path: `${ships}@v9/data/a.csv`, code: 'hub/missing', said: /'acme\/ships' has no revision 'v9'/ },
  {
    path: `${ships}/data/d.csv`,
    code: 'hub/missing',
    said: /has no file 'data\/d\.csv'\. Did you mean 'data\/a\.csv'\?/,
  },
  {
    path: `${ships}/dta/a.csv`,
    code: 'hub/missing',
    said: /has no file 'dta\/a\.csv'\. Did you mean 'data\/a\.csv'\?/,
  },
  {
    path: `${ships}/data/*.parquet`,
    code: 'hub/missing',
    said: /'data\/\*\.parquet'\. Use one of: data\/a\.csv, data\/b\.csv/,
  },
  {
    path: `${ships}/mixed/a.csv.bz2`,
    code: 'hub/refused',
    said: /'mixed\/a\.csv\.bz2' is not a supported table.*\.parquet, \.csv/,
  },
  { path: `${ships}/mixed/a.csv*`, code: 'hub/refused', said: /'mixed\/a\.csv\.bz2' is not a supported table/ },
  { path: `${ships}/mixed/a.[cj]s*[vl]`, code: 'hub/refused', said: /as 'mixed\/a\.csv' and 'mixed\/a\.jsonl'/ },
  {
    path: `${ships}/told/huge.csv`,
    code: 'hub/refused',
    said: /has 1125899906842624 bytes, but the limit is 68719476736/,
  },
  {
    path: `${ships}/data/*.csv`,
    options: { maxBytes: 7 },
    code: 'hub/refused',
    said: /its 2 files have 8 bytes, but the limit is 7/,
  },
  { path: `${ships}/told/negative.json`, code: 'hub/refused', said: /is not one of the Hub API/ },
  { path: 'datasets/acme/../ships/a.csv', code: 'hub/refused', said: /it is not a path of a Hub file/ },
];

test.each([...ACCESS, ...FILES])('$path with $options is $code', async ({ path, options, code, said }) => {
  const failed = await failure(hub.fetching(path, options));
  expect(failed).toMatchObject({ code, message: expect.stringMatching(said) });
  expect(JSON.stringify(failed.toWire())).not.toMatch(/hf_good|hf_wrong|word@|signature/);
  expect([hub.kept(), hub.downloads()]).toEqual([[], []]);
});

test.each([
  '../../../../etc/passwd.csv',
  '/etc/passwd.csv',
  'data/../../x.csv',
  'data//x.csv',
  'C:/windows/x.csv',
  'C:\\windows\\x.csv',
  'data/..\\..\\x.csv',
  'data/\u0000x.csv',
  'data/\u001b[2Jx.csv',
  'data/\u009b2Jx.csv',
  './x.csv',
  `${'x'.repeat(300)}.csv`,
])('a listing with the file %j is refused', async (path) => {
  hub.answerAll('/tree/', (_, response) => {
    response.end(JSON.stringify([{ type: 'file', path, size: 4 }]));
  });
  const failed = await failure(hub.fetching(`${ships}/**/*.csv`));
  expect(failed).toMatchObject({ code: 'hub/refused', message: expect.stringContaining('whose name cannot be used') });
  expect(failed.message).not.toMatch(/\p{Cc}/u);
  expect([hub.kept(), hub.downloads()]).toEqual([[], []]);
});

test('a commit that is not a hash is not used as a folder name', async () => {
  hub.answerAll('/revision/', (_, response) => {
    response.end(JSON.stringify({ sha: '../../../out' }));
  });
  expect(await failure(hub.fetching(`${ships}/data/a.csv`))).toMatchObject({ code: 'hub/refused' });
});

test.each([
  ['a page that is no JSON', '<html>Sign in</html>'],
  ['a page that is no list', '{"a":1}'],
  ['an entry without a path', '[{"type":"file"}]'],
  ['lists within lists', '['.repeat(1_000_000)],
])('the answer of a Hub is refused: %s', async (_, page) => {
  hub.answerAll('/tree/', (_request, response) => response.end(page));
  const failed = await failure(hub.fetching(`${ships}/data/a.csv`));
  expect(failed).toMatchObject({ code: 'hub/refused', message: expect.stringContaining('not one of the Hub API') });
});

test('a listing whose pages form a cycle is refused', async () => {
  hub.answerAll('/tree/', (request, response) => {
    response.writeHead(200, { link: `<${request.url}>; rel=next` }).end('[]');
  });
  const failed = await failure(hub.fetching(`${ships}/data/a.csv`));
  expect(failed).toMatchObject({ code: 'hub/refused', message: expect.stringContaining('does not end') });
});

function busy(status: number): RequestListener {
  return (_, response) => response.writeHead(status, { 'retry-after': '0.01' }).end();
}

test('a listing is retried at the time that a busy server names', async () => {
  hub.answerFirst('/tree/', busy(429), busy(500));
  expect(await hub.texts(`${ships}/data/a.csv`)).toEqual(['a\n1\n']);
  expect(hub.server.asked.filter(({ path }) => path.includes('/tree/'))).toHaveLength(3);
});

test('a long wait named by a server is refused', async () => {
  hub.answerAll('/', (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
  const failed = await failure(hub.fetching(`${ships}/data/a.csv`));
  expect(failed).toMatchObject({
    code: 'hub/refused',
    message: expect.stringContaining('accepts new ones in 60 minutes'),
  });
});

test('an unreachable Hub is named with its address', async () => {
  const gone = await listen(() => undefined);
  await gone.close();
  const failed = await failure(hub.fetching(`${ships}/data/a.csv`, { endpoint: gone.origin }));
  expect(failed).toMatchObject({ code: 'hub/unreachable' });
  expect(failed.message).toContain(
    `The request to ${gone.origin}/api/datasets/acme/ships/revision/main failed: no server is listening`,
  );
});

test('an unwritable cache is reported', async () => {
  writeFileSync(join(hub.cacheFolder, 'file'), '');
  const failed = await failure(
    hub.fetching(`${ships}/data/a.csv`, { cacheFolder: join(hub.cacheFolder, 'file', 'x') }),
  );
  expect(failed).toMatchObject({
    code: 'dataset/unwritable',
    message: expect.stringContaining('a file, not a folder'),
  });
});
