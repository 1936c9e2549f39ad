/** Passes answers on until it is closed; releases the held ones when it is opened again. */
export class Gate {
  #left = Number.POSITIVE_INFINITY;
  #held: (() => void)[] = [];

  /** Holds every answer after so many more, until the next `release`. */
  holdAfter(answers: number): void {
    this.#left = answers;
  }

  /** Lets all go that are held, in the order they came, and holds others after so many more; by default, no others. */
  release(answers = Number.POSITIVE_INFINITY): void {
    this.#left = answers;
    for (const proceed of this.#held.splice(0)) proceed();
  }

  /** Lets so many of those go that were held first; others stay held. */
  releaseHeld(answers: number): void {
    for (const proceed of this.#held.splice(0, answers)) proceed();
  }

  /** Calls back once an answer may leave: at once, unless answers are held. */
  pass(proceed: () => void): void {
    if (this.#left-- > 0) proceed();
    else this.#held.push(proceed);
  }
}
