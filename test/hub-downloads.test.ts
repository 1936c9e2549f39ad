import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FailureCode } from '@data-designer/core';
import { openLocalHub, sendPart } from './hub-server.ts';
import { COMMIT, failure, LARGE, useHub } from './use-hub.ts';

const hub = useHub();

/** A third of the large file, then the end, as if that were all. */
const third: RequestListener = (_, response) => response.end(LARGE.subarray(0, 100_000));

test('an interrupted download continues where it stopped', async () => {
  hub.answerFirst('/resolve/', (_, response) => {
    response.writeHead(200, { 'content-length': LARGE.length });
    response.write(LARGE.subarray(0, 100_000), () => response.socket?.end());
  });
  const { files } = await hub.fetching('datasets/acme/ships/large.parquet');
  expect(readFileSync(files[0] as string).equals(LARGE)).toBe(true);
  const ranges = hub.downloads().map(({ range }) => range);
  expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/)]);
  // What was on its way when the connection broke may or may not have come in.
  const received = Number(/\d+/.exec(ranges[1] as string)?.[0]);
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThanOrEqual(100_000);
  const atStorage = hub.server.asked.filter(({ server }) => server === 'storage').map(({ range }) => range);
  expect(atStorage).toEqual([ranges[1]]);
});

test.each<[string, RequestListener]>([
  ['sends all again', (_, response) => response.end(LARGE)],
  ['knows no such part', (_, response) => response.writeHead(416).end()],
  [
    'sent another part',
    (_, response) => response.writeHead(206, { 'content-range': `bytes 5-9/${LARGE.length}` }).end('wrong'),
  ],
])('a download restarts if the server answers a range request wrongly: %s', async (_, answer) => {
  hub.answerFirst('/resolve/', third, answer);
  const { files } = await hub.fetching('datasets/acme/ships/large.parquet');
  expect(readFileSync(files[0] as string).equals(LARGE)).toBe(true);
});

interface Fault {
  readonly fault: string;
  readonly answer: RequestListener;
  readonly code: FailureCode;
  readonly said: string;
}

const FAULTS: readonly Fault[] = [
  {
    fault: 'breaks off',
    answer: (_, response) => response.destroy(),
    code: 'hub/unreachable',
    said: 'the server closed the connection',
  },
  {
    fault: 'fails',
    answer: (_, response) => response.writeHead(503).end(),
    code: 'hub/unreachable',
    said: 'the server failed (503)',
  },
  {
    fault: 'is short',
    answer: (_, response) => response.end(),
    code: 'hub/damaged',
    said: 'it ended after 0 of 4 bytes',
  },
  {
    fault: 'is long',
    answer: (_, response) => response.end('a\n1\n2'),
    code: 'hub/damaged',
    said: 'the server sent more than its 4 bytes',
  },
  {
    fault: 'is another',
    answer: (_, response) => response.end('b\n1\n'),
    code: 'hub/damaged',
    said: 'its checksum differs from the one',
  },
  {
    fault: 'is packed',
    answer: (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('abcd'),
    code: 'hub/damaged',
    said: "the server sent the content encoding 'gzip'",
  },
];

test.each(FAULTS)('a download that $fault is retried three times', async ({ answer }) => {
  hub.answerFirst('/resolve/', answer, answer, answer);
  expect(await hub.texts('datasets/acme/ships/data/a.csv')).toEqual(['a\n1\n']);
});

test.each(FAULTS)('a download that $fault four times fails and leaves no file', async ({ answer, code, said }) => {
  hub.answerAll('/resolve/', answer);
  const failed = await failure(hub.fetching('datasets/acme/ships/data/a.csv'));
  expect(failed).toMatchObject({ code, message: expect.stringContaining(said) });
  expect([hub.downloads().length, hub.kept()]).toEqual([4, []]);
});

test('a failing server of large files is distinguished from the Hub, and only the Hub address is shown', async () => {
  const location = `${hub.server.storage}/none?signature=secret`;
  hub.answerAll('/resolve/', (_, response) => response.writeHead(302, { location }).end());
  const failed = await failure(hub.fetching('datasets/acme/ships/large.parquet'));
  const said = `The request to ${hub.server.endpoint}/datasets/acme/ships/large.parquet failed: the storage server of the file`;
  expect(failed).toMatchObject({ code: 'hub/unreachable', message: expect.stringContaining(said) });
  expect(failed.message).not.toContain('signature');
});

test('a small file is checked against its git hash, a large one against its SHA-256', async () => {
  expect(await failure(hub.fetching('datasets/acme/ships/told/wrong.csv'))).toMatchObject({ code: 'hub/damaged' });
  const changed = Buffer.from(LARGE).fill(7, 5, 6);
  hub.answerAll('/resolve/', (request, response) => sendPart(request, response, changed));
  const failed = await failure(hub.fetching('datasets/acme/ships/large.parquet'));
  expect(failed).toMatchObject({ code: 'hub/damaged', message: expect.stringContaining('checksum') });
  expect(hub.kept()).toEqual([]);
});

test('an abort during a download leaves no file', async () => {
  const stop = new AbortController();
  hub.answerFirst('/resolve/', (_, response) => {
    response.writeHead(200, { 'content-length': LARGE.length });
    response.write(LARGE.subarray(0, 100_000), () => stop.abort(new Error('enough')));
  });
  const failed = await failure(hub.fetching('datasets/acme/ships/large.parquet', { signal: stop.signal }));
  expect(failed).toMatchObject({ code: 'run/aborted', message: 'The run was stopped: enough.' });
  expect([hub.kept(), hub.downloads().length]).toEqual([[], 1]);
});

test('an abort before the start sends no request', async () => {
  const failed = await failure(hub.fetching('datasets/acme/ships/data/a.csv', { signal: AbortSignal.abort() }));
  expect([failed.code, hub.server.asked]).toEqual(['run/aborted', []]);
});

test('the first failure of several downloads ends the others, and finished files are kept', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`d/${String(at).padStart(2, '0')}.csv`, { content: `a\n${at}\n` }]),
  );
  await using many = await openLocalHub({ 'acme/many': { revisions: { main: COMMIT }, files } });
  const open = new Set<unknown>();
  let most = 0;
  many.intercept = (request, response) => {
    if (request.url?.includes('/resolve/') !== true) return false;
    open.add(request);
    response.on('close', () => open.delete(request));
    most = Math.max(most, open.size);
    if (request.url.endsWith('05.csv')) response.writeHead(404).end();
    return request.url.endsWith('05.csv') || request.url.endsWith('06.csv');
  };
  const failed = await failure(hub.fetching('datasets/acme/many/d/*.csv', { endpoint: many.endpoint }));
  expect(failed.message).toContain("The dataset 'acme/many' (main) has no file 'd/05.csv'");
  expect(hub.kept().every((path) => /\/d\/\d\d\.csv$/.test(path))).toBe(true);
  many.intercept = () => false;
  const contents = await hub.texts('datasets/acme/many/d/*.csv', { endpoint: many.endpoint });
  expect(contents).toEqual(Array.from({ length: 12 }, (_, at) => `a\n${at}\n`));
  expect(most).toBeLessThanOrEqual(4);
});

test('two concurrent downloads of the same files do not interfere', async () => {
  const both = await Promise.all([1, 2].map(() => hub.texts('datasets/acme/ships/data/**/*.csv')));
  expect(both[0]).toEqual(both[1]);
  expect(hub.kept()).toHaveLength(4);
});

test('a partial download of a killed process is removed after a day, not before', async () => {
  const [old, young] = ['old', 'young'].map((name) => join(hub.cacheFolder, '.partial', name)) as [string, string];
  mkdirSync(dirname(old));
  for (const path of [old, young]) writeFileSync(path, 'half');
  const before = new Date(Date.now() - 90_000_000);
  utimesSync(old, before, before);
  await hub.fetching('datasets/acme/ships/data/a.csv');
  expect(hub.kept().filter((path) => path.startsWith('.partial'))).toEqual(['.partial/young']);
});
