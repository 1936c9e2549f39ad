import { DataDesignerError } from '@data-designer/core';
import type { OpenEnvironment } from '@data-designer/environments';
import type { PreparedEnvironment } from './prepare-environments.ts';

/** A world with what waits for it: calls of one world run one after the other. */
export class World {
  readonly prepared: PreparedEnvironment;
  readonly open: OpenEnvironment;
  #isClosed = false;
  /** Ends with the last call; never rejects. */
  #calls: Promise<unknown> = Promise.resolve();
  /** Ends with the last question; never rejects. */
  #questions: Promise<unknown> = Promise.resolve();

  constructor(prepared: PreparedEnvironment, open: OpenEnvironment) {
    this.prepared = prepared;
    this.open = open;
  }

  /** Runs work after all earlier calls; rejects once the world is closed. */
  call<Made>(work: () => Promise<Made>): Promise<Made> {
    const made = this.#calls.then(() => {
      this.#refuseClosed();
      return work();
    });
    this.#calls = made.catch(() => {});
    return made;
  }

  mark(): void {
    this.#refuseClosed();
    this.open.mark();
  }

  /** Returns to the last mark, once no call runs; a closed world has none. */
  undo(): Promise<void> {
    const undone = this.#calls.then(() => {
      if (!this.#isClosed) this.open.undo();
    });
    this.#calls = undone.catch(() => {});
    return undone;
  }

  release(): void {
    if (!this.#isClosed) this.open.release();
  }

  /** Closes the world once the call that runs has ended; calls that wait are refused. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#calls.then(() => this.open.close());
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new DataDesignerError('run/aborted', { reason: 'the row of this world is finished' });
  }

  /** Runs a question after all earlier ones: their calls would mix. */
  ask<Made>(work: () => Promise<Made>): Promise<Made> {
    const made = this.#questions.then(work);
    this.#questions = made.catch(() => {});
    return made;
  }
}
