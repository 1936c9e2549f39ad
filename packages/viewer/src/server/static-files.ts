import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { DataDesignerError } from '@data-designer/core';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const gzip = promisify(zlib.gzip);

/** A file of the app. */
interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** Of the content, for caches. */
  readonly tag: string;
  /** Whether the name holds the content's hash, so that it never changes. */
  readonly isImmutable: boolean;
}

/** The files of the built app by their addresses, all of which are read at the start. */
export async function readStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    const reason = `the pages of the viewer are not in ${folder}; build them with npm run build`;
    throw new DataDesignerError('internal/unexpected', { reason }, { cause: thrown });
  });
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const bytes = await readFile(join(folder, name));
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const isImmutable = /-[\w-]{8}\.js$/.test(name);
    files.set(`/${name}`, { type, bytes, gzipped: await gzip(bytes), tag, isImmutable });
  }
  const index = files.get('/index.html');
  if (index) files.set('/', index);
  return files;
}

/** Sends a file of the app: compressed where the browser reads that, and not at all if it has the same one. */
export function sendStaticFile(file: StaticFile, request: IncomingMessage, response: ServerResponse): void {
  const { type, bytes, gzipped, tag, isImmutable } = file;
  response.setHeader('content-type', type);
  response.setHeader('etag', tag);
  response.setHeader('vary', 'accept-encoding');
  // The files belong to the program and hold nothing of a dataset.
  response.setHeader('cache-control', isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache');
  if (request.headers['if-none-match'] === tag) return void response.writeHead(304).end();
  const isCompressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  response.end(isCompressed ? gzipped : bytes);
}
