/** The bytes that a page still has room for. */
export class PageBudget {
  readonly #all: number;
  #taken = 0;
  /** Parts for which there was no room. */
  leftOut = 0;

  constructor(bytes: number) {
    this.#all = bytes;
  }

  /** The first of some parts, as far as there is room for them; below another bound where one is given. */
  take(parts: readonly string[], bound = this.#all): readonly string[] {
    const kept: string[] = [];
    for (const part of parts) {
      const size = Buffer.byteLength(part) + 1;
      if (this.#taken + size > bound) break;
      this.#taken += size;
      kept.push(part);
    }
    this.leftOut += parts.length - kept.length;
    return kept;
  }
}
