import type { Clock } from '../src/admission/clock.ts';

/** A virtual clock that jumps from one event to the next. */
export class VirtualTime implements Clock {
  #time = 0;
  #order = 0;
  readonly #events: { at: number; order: number; call: () => void }[] = [];

  readonly now = (): number => this.#time;

  readonly after = (ms: number, call: () => void): (() => void) => {
    const event = { at: this.#time + ms, order: this.#order++, call };
    const later = this.#events.findIndex(({ at }) => at > event.at);
    this.#events.splice(later < 0 ? this.#events.length : later, 0, event);
    return () => {
      event.call = () => {};
    };
  };

  /** Lets time pass without any event, as in a process that is suspended. */
  suspend(ms: number): void {
    this.#time += ms;
  }

  /** Advances time to `until`, or until no event is left. */
  run(until = Infinity): void {
    while (this.#events[0] && this.#events[0].at <= until) {
      const { at, call } = this.#events.shift() as { at: number; call: () => void };
      this.#time = Math.max(this.#time, at);
      call();
    }
    if (until < Infinity) this.#time = until;
  }
}
