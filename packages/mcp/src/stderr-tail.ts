const KEPT_BYTES = 4_096;

/** The last that a process wrote to stderr. A flood costs hardly more than reading it. */
export class StderrTail {
  #kept: Buffer = Buffer.alloc(0);
  #isCut = false;

  add(bytes: Buffer): void {
    const both = bytes.length >= KEPT_BYTES ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#isCut ||= both.length > KEPT_BYTES || bytes.length >= KEPT_BYTES;
    // A copy, so that the whole piece it was cut from can go.
    this.#kept = both.length > KEPT_BYTES ? Buffer.from(both.subarray(-KEPT_BYTES)) : both;
  }

  /** As text, without spaces at its ends; of what was cut, only whole lines, for a part of a key is no longer known as one. */
  get text(): string {
    const text = this.#kept.toString('utf8');
    const lineEnd = this.#isCut ? text.indexOf('\n') : -1;
    return text.slice(lineEnd + 1).trim();
  }
}
