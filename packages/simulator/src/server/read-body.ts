import type { IncomingMessage } from 'node:http';

/** Largest body that is read: what is beyond is let go by. */
export const MOST_BYTES = 16 * 1024 * 1024;

/** Reads a body to its end; `done` gets undefined if it was too large, and is not called if the client goes away. */
export function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => {
    if (size > MOST_BYTES) done(undefined);
    else done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
}
