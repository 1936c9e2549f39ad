/** A value that is read again once its stamp has changed, or its reading has failed. */
export class StampedValue<Value> {
  #last: { readonly stamp: string; readonly value: Promise<Value> } | undefined;

  /** The value of the last reading if it has this stamp, or that of a new one. */
  async get(stamp: string, read: () => Promise<Value>): Promise<Value> {
    if (this.#last?.stamp !== stamp) this.#last = { stamp, value: read() };
    const last = this.#last;
    try {
      return await last.value;
    } catch (thrown) {
      if (this.#last === last) this.#last = undefined;
      throw thrown;
    }
  }
}
