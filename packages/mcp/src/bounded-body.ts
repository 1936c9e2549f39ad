/** At most so many bytes in one HTTP body or in one event of a stream. */
const MOST_BYTES = 128 * 2 ** 20;

/** The end of a body with a message over the bound. */
export class OversizedMessage extends Error {
  constructor(mostBytes: number) {
    super(`its answer is too large: a message of more than ${mostBytes} bytes`);
  }
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Passes on the bytes of a body, and fails before more than `mostBytes` of one message are kept for its parser. An empty line
 * ends a message of an event stream.
 */
export function boundedBody(
  isEventStream: boolean,
  mostBytes = MOST_BYTES,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  let lineLength = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of isEventStream ? chunk : []) {
        if (++bytes > mostBytes) throw new OversizedMessage(mostBytes);
        if (byte === NEWLINE && lineLength === 0) bytes = 0;
        if (byte !== RETURN) lineLength = byte === NEWLINE ? 0 : lineLength + 1;
      }
      if (!isEventStream) bytes += chunk.length;
      if (bytes > mostBytes) throw new OversizedMessage(mostBytes);
      controller.enqueue(chunk);
    },
  });
}
