/** Consecutive lines of a part. */
export interface Lines {
  readonly part: string | undefined;
  readonly bytes: Uint8Array;
  /** Where each line ends in `bytes`. */
  readonly ends: readonly number[];
}

/** Lines are given out once they have this length together, in UTF-16 units. */
const BATCH_LENGTH = 1024 * 1024;

/** Collects lines by part. */
export class LineCollector {
  #parts = new Map<string | undefined, string[]>();
  #length = 0;

  /** Whether its lines are enough to be written. */
  get isFull(): boolean {
    return this.#length >= BATCH_LENGTH;
  }

  add(part: string | undefined, line: string): void {
    const lines = this.#parts.get(part);
    if (lines) lines.push(line);
    else this.#parts.set(part, [line]);
    this.#length += line.length;
  }

  /** Gives out its lines; it has none afterwards. */
  take(): readonly Lines[] {
    const parts = [...this.#parts];
    this.#parts = new Map();
    this.#length = 0;
    return parts.map(([part, texts]) => {
      const bytes = Buffer.from(texts.join(''));
      let end = 0;
      const isAscii = bytes.length === texts.reduce((sum, text) => sum + text.length, 0);
      const ends = texts.map((text) => (end += isAscii ? text.length : Buffer.byteLength(text)));
      return { part, bytes, ends };
    });
  }
}
