import type { Redact } from '@data-designer/core';

/** Characters of a text that are shown. */
const SHOWN = 200;
/** Characters of a text that are read. */
const READ = 4_000;

/** The last text of a server that answers no request: a line of a log, or an answer with a wrong id. */
export class StrayTexts {
  readonly #redact: Redact;
  #last: unknown;
  #at = -Infinity;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** Notes a text, or a message that is no deeper than JSON is written. */
  note(text: unknown): void {
    this.#last = text;
    this.#at = performance.now();
  }

  /** The last text as a part of a sentence; empty if none came after a time of `performance.now()`. */
  after(time: number): string {
    if (this.#at < time) return '';
    const text = typeof this.#last === 'string' ? this.#last : JSON.stringify(this.#last);
    const line = this.#redact(text.trim().slice(0, READ)).replaceAll(/\s+/g, ' ').slice(0, SHOWN).toWellFormed();
    return `; the last text that it sent is no answer to a request: ${line}`;
  }
}
