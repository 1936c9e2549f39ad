import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { PartialFile } from '../hub/partial-file.ts';
import { downloadedSum, downloadOf } from './download-collection.ts';

const BYTES = Buffer.from('0123456789'.repeat(1000));
const HALF = 4000;
let root: string;
let server: Server;
let url: URL;
let answer: RequestListener;
let asked: IncomingHttpHeaders[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'download-'));
  server = createServer((request, response) => {
    asked.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/people/xx_XX.parquet?key=1`);
});

beforeEach(() => (asked = []));
afterEach(() => server.closeAllConnections());
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

const options = { allowPrivate: true, signal: new AbortController().signal, onBytes: () => {}, retryDelayMs: 1 };

async function download(more: Partial<Parameters<typeof downloadOf>[1]> = {}): Promise<string> {
  await using file = new PartialFile({ folder: join(root, 'partial'), path: join(root, 'whole') }, undefined);
  await downloadOf(url, { ...options, ...more })(file);
  await file.keep();
  return readFileSync(join(root, 'whole'), 'utf8');
}

/** Breaks the first answer off in the middle, and then serves the rest or, without a tag, all again. */
function breakOnce(etag: string | undefined): RequestListener {
  return ({ headers }, response) => {
    const tag = etag === undefined ? {} : { etag };
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    if (from !== undefined) {
      const range = `bytes ${from}-${BYTES.length - 1}/${BYTES.length}`;
      response.writeHead(206, { 'content-range': range, ...tag }).end(BYTES.subarray(Number(from)));
    } else if (asked.length > 1) response.writeHead(200, tag).end(BYTES);
    else {
      response.writeHead(200, { 'content-length': BYTES.length, ...tag });
      response.write(BYTES.subarray(0, HALF), () => response.destroy());
    }
  };
}

test('downloads a file and tells its progress', async () => {
  answer = (_, response) => response.writeHead(200, { 'content-length': BYTES.length }).end(BYTES);
  const progress: (readonly [number, number | undefined])[] = [];
  expect(await download({ onBytes: (...now) => progress.push(now) })).toBe(BYTES.toString());
  expect(progress.at(-1)).toEqual([BYTES.length, BYTES.length]);
});

test('requests the rest of the same file after a broken connection', async () => {
  answer = breakOnce('"v1"');
  expect(await download()).toBe(BYTES.toString());
  expect(asked[1]).toMatchObject({ range: `bytes=${HALF}-`, 'if-range': '"v1"' });
});

test.each([[undefined], ['W/"v1"']])('starts again if the server cannot identify the file (%s)', async (etag) => {
  answer = breakOnce(etag);
  expect(await download()).toBe(BYTES.toString());
  expect(asked.map(({ range }) => range)).toEqual([undefined, undefined]);
});

test('retries an overloaded server three times', async () => {
  answer = (_, response) => response.writeHead(503).end();
  await expect(download()).rejects.toThrow(/status 503 to http:\/\/127\.0\.0\.1:\d+\/people\/xx_XX\.parquet$/);
  expect(asked).toHaveLength(4);
});

test('does not retry a missing file, and does not show the query', async () => {
  answer = (_, response) => response.writeHead(404).end();
  await expect(download()).rejects.toThrow(/has no file http:\/\/127\.0\.0\.1:\d+\/people\/xx_XX\.parquet, or denies/);
  expect(asked).toHaveLength(1);
});

test('refuses this machine unless allowed', async () => {
  await expect(download({ allowPrivate: false })).rejects.toMatchObject({ name: 'FetchRefusal' });
  expect(asked).toHaveLength(0);
});

test('reads the checksum beside the file, if there is one', async () => {
  const hex = '0a'.repeat(32);
  answer = ({ url: path }, response) =>
    response.end(path === '/people/xx_XX.parquet.sha256?key=1' ? `${hex}  xx_XX.parquet` : 'no');
  expect(await downloadedSum(url, options)).toBe(hex);
  answer = (_, response) => response.writeHead(403).end();
  expect(await downloadedSum(url, options)).toBeUndefined();
  answer = (_, response) => response.end('<html>');
  await expect(downloadedSum(url, options)).rejects.toThrow('xx_XX.parquet.sha256 contains no SHA-256');
});
