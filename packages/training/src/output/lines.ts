import { LineBuffer } from './line-buffer.ts';

/** Consecutive lines of a part. */
export interface Lines {
  readonly part: string | undefined;
  /** Overwritten by the lines that are asked for next. */
  readonly bytes: Uint8Array;
  /** Where each line ends in `bytes`. */
  readonly ends: readonly number[];
}

/** Lines are given out once they have this many bytes together. */
const BATCH_LENGTH = 1024 * 1024;

/** Collects lines by part. */
export class LineCollector {
  readonly #parts = new Map<string | undefined, LineBuffer>();

  /** Whether its lines are enough to be written. */
  get isFull(): boolean {
    let length = 0;
    for (const buffer of this.#parts.values()) length += buffer.length;
    return length >= BATCH_LENGTH;
  }

  /** The lines of a part. */
  of(part: string | undefined): LineBuffer {
    const known = this.#parts.get(part);
    if (known) return known;
    const buffer = new LineBuffer(BATCH_LENGTH);
    this.#parts.set(part, buffer);
    return buffer;
  }

  /** Gives out its lines; it has none afterwards. */
  *take(): Generator<Lines> {
    for (const [part, buffer] of this.#parts) if (buffer.length > 0) yield { part, ...buffer.take() };
  }
}
