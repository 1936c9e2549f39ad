import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

const UNPACKERS: ReadonlyMap<string, (first: Buffer) => Transform> = new Map<string, (first: Buffer) => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  // `deflate` should have the frame of zlib; some servers leave it out.
  ['deflate', (first) => (hasZlibFrame(first) ? createInflate() : createInflateRaw())],
]);

const DEFLATE_METHOD = 8;

function hasZlibFrame([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === DEFLATE_METHOD && ((first << 8) | second) % 31 === 0;
}

/** Receives an unpacked body. */
export interface Unpacked {
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
export function openUnpacker(encoding: string | undefined, unpacked: Unpacked): Unpacker | undefined {
  const steps = (encoding ?? '').split(',').map((one) => one.trim().toLowerCase());
  const packed = steps.filter((step) => step !== '' && step !== 'identity').toReversed();
  return packed.length === 0 ? undefined : new StreamUnpacker(packed, unpacked);
}

class StreamUnpacker implements Unpacker {
  readonly #encodings: readonly string[];
  readonly #unpacked: Unpacked;
  #first: Transform | undefined;
  #last: Transform | undefined;
  #isOver = false;

  constructor(encodings: readonly string[], unpacked: Unpacked) {
    this.#encodings = encodings;
    this.#unpacked = unpacked;
  }

  write(bytes: Buffer): void {
    if (this.#isOver || bytes.length === 0) return;
    if (!this.#first) this.#open(bytes);
    this.#first?.write(bytes);
  }

  /** Ends the body, which may be empty. */
  end(): void {
    if (this.#isOver) return;
    if (this.#first) this.#first.end();
    else this.#unpacked.onEnd();
  }

  pause(): void {
    this.#last?.pause();
  }

  resume(): void {
    this.#last?.resume();
  }

  destroy(): void {
    this.#isOver = true;
    this.#first?.destroy();
    this.#last?.destroy();
  }

  #open(bytes: Buffer): void {
    let first = bytes;
    for (const encoding of this.#encodings) {
      const open = UNPACKERS.get(encoding);
      if (!open)
        return this.#fail(`its answer is packed in a way that is not known here (content-encoding: ${encoding})`);
      const next = open(first);
      // The first bytes of an inner encoding are not known yet: assume its usual frame.
      first = ZLIB_HEAD;
      next.on('error', (error) => {
        this.#fail(`its answer cannot be unpacked (content-encoding: ${encoding}): ${error.message}`, error);
      });
      this.#first ??= next;
      this.#last = this.#last ? this.#last.pipe(next) : next;
    }
    this.#last?.on('data', (piece: Buffer) => {
      if (!this.#isOver) this.#unpacked.onData(piece);
    });
    this.#last?.on('end', () => {
      if (!this.#isOver) this.#unpacked.onEnd();
    });
  }

  #fail(reason: string, cause?: Error): void {
    if (this.#isOver) return;
    this.destroy();
    this.#unpacked.onError(new Error(reason, { cause }));
  }
}

const ZLIB_HEAD = Buffer.from([0x78, 0x9c]);
