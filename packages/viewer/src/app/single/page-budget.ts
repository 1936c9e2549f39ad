import type { JSX } from 'react';
import { markup } from './single-file.tsx';

/** The bytes that a page has left. */
export class PageBudget {
  readonly #all: number;
  #taken = 0;
  /** The number of omitted parts. */
  leftOut = 0;

  constructor(bytes: number) {
    this.#all = bytes;
  }

  /** Half of all bytes, for tables. */
  get half(): number {
    return this.#all / 2;
  }

  /** An equal part of the bytes that are left, for one of so many parts. */
  share(parts: number): PageBudget {
    return new PageBudget((this.#all - this.#taken) / parts);
  }

  /** Counts what a part has taken. */
  add(part: PageBudget): void {
    this.#taken += part.#taken;
    this.leftOut += part.leftOut;
  }

  /** The first parts that fit within `bound` as they are drawn. */
  take<Part>(parts: readonly Part[], draw: (part: Part) => JSX.Element, bound = this.#all): readonly Part[] {
    const kept: Part[] = [];
    for (const part of parts) {
      const size = Buffer.byteLength(markup(draw(part))) + 1;
      if (this.#taken + size > bound) break;
      this.#taken += size;
      kept.push(part);
    }
    this.leftOut += parts.length - kept.length;
    return kept;
  }
}
