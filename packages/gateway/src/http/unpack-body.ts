import zlib, { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

const UNPACKERS: ReadonlyMap<string, (first: Buffer) => Transform> = new Map<string, (first: Buffer) => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  // `deflate` should have the frame of zlib; some servers leave it out.
  ['deflate', (first) => (hasZlibFrame(first) ? createInflate() : createInflateRaw())],
  // Node.js knows it from 22.15 on.
  ...('createZstdDecompress' in zlib ? [['zstd', () => zlib.createZstdDecompress()] as const] : []),
]);

/** Names of encodings that mean none. Some servers write the charset here. */
const PLAIN: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8', 'utf8', 'binary']);

const DEFLATE_METHOD = 8;

function hasZlibFrame([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === DEFLATE_METHOD && ((first << 8) | second) % 31 === 0;
}

/** Receives an unpacked body. */
export interface BodyReceiver {
  readonly onData: (bytes: Buffer) => void;
  readonly onEnd: () => void;
  readonly onError: (error: Error) => void;
}

/** Unpacks a body while it arrives. */
export interface Unpacker {
  readonly write: (bytes: Buffer) => void;
  readonly end: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Drops the rest; nothing more is called. */
  readonly destroy: () => void;
}

/** Unpacks a body that was sent packed unasked; undefined if it has no encoding. */
export function openUnpacker(encoding: string | undefined, unpacked: BodyReceiver): Unpacker | undefined {
  const steps = (encoding ?? '').split(',').map((one) => one.trim().toLowerCase());
  const packed = steps.filter((step) => !PLAIN.has(step)).toReversed();
  return packed.length === 0 ? undefined : streamUnpacker(packed, unpacked);
}

function streamUnpacker(encodings: readonly string[], { onData, onEnd, onError }: BodyReceiver): Unpacker {
  let first: Transform | undefined;
  let last: Transform | undefined;
  let isOver = false;
  const destroy = (): void => {
    isOver = true;
    first?.destroy();
    last?.destroy();
  };
  const fail = (reason: string, cause?: Error): void => {
    if (isOver) return;
    destroy();
    onError(new Error(reason, { cause }));
  };
  const open = (bytes: Buffer): void => {
    let head = bytes;
    for (const encoding of encodings) {
      const unpacker = UNPACKERS.get(encoding);
      if (!unpacker) return fail(`its answer has an unsupported content encoding '${encoding}'`);
      const next = unpacker(head);
      // The first bytes of an inner encoding are not known yet: assume its usual frame.
      head = ZLIB_HEAD;
      next.on('error', (error) => {
        fail(`its answer cannot be decoded as '${encoding}': ${error.message}`, error);
      });
      first ??= next;
      last = last ? last.pipe(next) : next;
    }
    last?.on('data', (piece: Buffer) => void (isOver || onData(piece)));
    last?.on('end', () => void (isOver || onEnd()));
  };
  return {
    destroy,
    write: (bytes) => {
      if (isOver || bytes.length === 0) return;
      if (!first) open(bytes);
      first?.write(bytes);
    },
    // A body may be empty.
    end: () => {
      if (isOver) return;
      if (first) first.end();
      else onEnd();
    },
    pause: () => void last?.pause(),
    resume: () => void last?.resume(),
  };
}

const ZLIB_HEAD = Buffer.from([0x78, 0x9c]);
