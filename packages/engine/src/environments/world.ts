import type { OpenEnvironment } from '@data-designer/environments';
import type { PreparedEnvironment } from './prepare-environments.ts';

/** A world with what waits for it: calls of one world run one after the other. */
export class World {
  readonly prepared: PreparedEnvironment;
  readonly open: OpenEnvironment;
  /** Ends with the last call; never rejects. */
  #calls: Promise<unknown> = Promise.resolve();
  /** Ends with the last question; never rejects. */
  #questions: Promise<unknown> = Promise.resolve();

  constructor(prepared: PreparedEnvironment, open: OpenEnvironment) {
    this.prepared = prepared;
    this.open = open;
  }

  /** Runs work after all earlier calls. */
  call<Made>(work: () => Promise<Made>): Promise<Made> {
    const made = this.#calls.then(work);
    this.#calls = made.catch(() => {});
    return made;
  }

  /** Runs a question after all earlier ones: their calls would mix. */
  ask<Made>(work: () => Promise<Made>): Promise<Made> {
    const made = this.#questions.then(work);
    this.#questions = made.catch(() => {});
    return made;
  }
}
