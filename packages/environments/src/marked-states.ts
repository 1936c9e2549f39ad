/** A world whose state no call changes in place, so that a mark is a state. */
export class MarkedStates<State> {
  /** The current state. */
  state: State;
  readonly #marks: { readonly state: State }[] = [];

  constructor(state: State) {
    this.state = state;
  }

  mark(): void {
    this.#marks.push({ state: this.state });
  }

  undo(): void {
    const last = this.#marks.at(-1);
    if (last) this.state = last.state;
  }

  release(): void {
    this.#marks.pop();
  }

  close(): void {
    this.#marks.length = 0;
  }
}
