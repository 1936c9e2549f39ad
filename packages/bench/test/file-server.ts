import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

/** A web server that sends the files of a folder. */
export interface FileServer extends AsyncDisposable {
  readonly address: string;
  /** The bytes of all answers so far. */
  readonly sentBytes: () => number;
}

/** Sends the files of a folder as static web servers do; without ranges, each answer is a whole file. */
export async function serveFolder(folder: string, { hasRanges = true } = {}): Promise<FileServer> {
  let sentBytes = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = join(folder, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    void stat(path).then(
      ({ size }) => {
        const [, from, to] = (hasRanges && /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')) || [];
        const start = Number(from ?? 0);
        const end = to ? Math.min(Number(to), size - 1) : size - 1;
        response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
        response.setHeader('content-length', size === 0 ? 0 : end - start + 1);
        if (hasRanges) response.setHeader('accept-ranges', 'bytes');
        if (from !== undefined) response.writeHead(206, { 'content-range': `bytes ${start}-${end}/${size}` });
        if (size === 0) {
          response.end();
          return;
        }
        const file = createReadStream(path, { start, end });
        file.on('data', (piece) => (sentBytes += piece.length));
        // A page that goes away ends the answer.
        pipeline(file, response).catch(() => undefined);
      },
      () => void response.writeHead(404).end(),
    );
  });
  // A page that works for seconds between two requests sends the second one over the same connection.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sentBytes: () => sentBytes,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
