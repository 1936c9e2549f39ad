import type { Redact } from '@data-designer/core';

const SHOWN = 4_096;
/** As much again is kept before it, so that a secret on the border is still whole and can be redacted. */
const KEPT_BYTES = 2 * SHOWN;

/** The end of a process's stderr. A flood costs hardly more than reading it. */
export class StderrTail {
  readonly #redact: Redact;
  #kept: Buffer = Buffer.alloc(0);
  #isCut = false;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  add(bytes: Buffer): void {
    const both = bytes.length >= KEPT_BYTES ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#isCut ||= both.length > KEPT_BYTES || bytes.length >= KEPT_BYTES;
    // A copy, so that the memory of the whole chunk can be freed.
    this.#kept = both.length > KEPT_BYTES ? Buffer.from(both.subarray(-KEPT_BYTES)) : both;
  }

  /** As text without secrets and without spaces at its ends; of what was cut, whole lines where there are any. */
  get text(): string {
    const text = this.#redact(this.#kept.toString('utf8'));
    if (!this.#isCut) return text.trim();
    const shown = text.slice(SHOWN);
    return shown.slice(shown.indexOf('\n') + 1).trim();
  }
}
