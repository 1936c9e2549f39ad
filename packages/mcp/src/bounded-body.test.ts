import { expect, test } from 'vitest';
import { boundedBody } from './bounded-body.ts';

/** Reads chunks through the bound of 10 bytes. */
function read(chunks: readonly string[], isEventStream: boolean): Promise<string> {
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  return new Response(bytes.pipeThrough(boundedBody(isEventStream, 10))).text();
}

test('a body within the bound passes, and a larger one fails with the bound', async () => {
  expect(await read(['12345', '67890'], false)).toBe('1234567890');
  await expect(read(['12345', '678901'], false)).rejects.toThrow(/too large/);
  await expect(read(['12345\n\n', '678901'], false)).rejects.toThrow(/too large/);
});

test('each event of a stream has the bound', async () => {
  expect(await read(['data:1\n', '\ndata:2\r\n\r\ndata:3\n\n'], true)).toContain('data:3');
  await expect(read(['data:1\n\n', 'data:2345', '678\n\n'], true)).rejects.toThrow(/too large/);
});
