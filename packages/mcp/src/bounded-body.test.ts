import { expect, test } from 'vitest';
import { boundedBody } from './bounded-body.ts';

/** Reads chunks through the bound of 10 bytes. */
function read(chunks: readonly string[]): Promise<string> {
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  return new Response(bytes.pipeThrough(boundedBody(10))).text();
}

test('a body within the bound passes, and a larger one fails with the bound', async () => {
  expect(await read(['12345', '67890'])).toBe('1234567890');
  await expect(read(['12345', '678901'])).rejects.toThrow(/too large/);
  await expect(read(['12345\n\n', '678901'])).rejects.toThrow(/too large/);
});
