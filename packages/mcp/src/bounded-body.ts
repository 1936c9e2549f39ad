/** The largest message of a server unless its provider says otherwise. */
const MOST_MESSAGE_MB = 128;

/** The largest message of a provider's server in bytes. */
export function mostBytesOf({
  maxMessageMb = MOST_MESSAGE_MB,
}: {
  readonly maxMessageMb?: number | undefined;
}): number {
  return Math.ceil(maxMessageMb * 2 ** 20);
}

/** Why something of a server is too large, and the key that sets the bound. */
export function oversized(what: string, mostBytes: number): string {
  const most = Number((mostBytes / 2 ** 20).toPrecision(3));
  return `${what} is too large: more than ${most} MiB; max_message_mb of the provider sets this limit`;
}

/** The end of a body with a message over the bound. */
export class OversizedMessage extends Error {
  constructor(mostBytes: number) {
    super(oversized('its answer', mostBytes));
  }
}

/** Passes on the bytes of a body, and fails before more than `mostBytes` are kept for its parser. */
export function boundedBody(mostBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new OversizedMessage(mostBytes);
      controller.enqueue(chunk);
    },
  });
}
