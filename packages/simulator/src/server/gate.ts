/** Passes answers on until it is closed; releases the held ones when it is opened again. */
export class Gate {
  #left = Number.POSITIVE_INFINITY;
  #held: (() => void)[] = [];

  /** Holds every answer after so many more, until the next `release`. */
  holdAfter(answers: number): void {
    this.#left = answers;
  }

  /** Lets all go that are held, in the order they came, and holds no others. */
  release(): void {
    this.#left = Number.POSITIVE_INFINITY;
    for (const proceed of this.#held.splice(0)) proceed();
  }

  /** Calls back once an answer may leave: at once, unless answers are held. */
  pass(proceed: () => void): void {
    if (this.#left-- > 0) proceed();
    else this.#held.push(proceed);
  }
}
