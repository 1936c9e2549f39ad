import type { Machine } from '../machine/machine.ts';
import type { JoinEvent } from './join-event.ts';

/** How often this machine tells what it does. */
const TELL_EVERY_MS = 1000;

/** Counts what this machine makes in its runs, and tells it once a second while it takes part in any. */
export class JoinProgress {
  readonly #path: string;
  readonly #onEvent: (event: JoinEvent) => void;
  /** The runs at work, with their folders. */
  readonly #machines = new Map<Machine, string>();
  #rowsBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `path` is the folder that this machine has joined; `onEvent` must not throw. */
  constructor(path: string, onEvent: (event: JoinEvent) => void) {
    this.#path = path;
    this.#onEvent = onEvent;
  }

  /** The rows of the groups that this machine has committed, in all runs. */
  get rows(): number {
    return [...this.#machines.keys()].reduce((sum, { rows }) => sum + rows, this.#rowsBefore);
  }

  /** Counts this machine in the run of a folder until it is disposed of. */
  count(machine: Machine, path: string): Disposable {
    this.#machines.set(machine, path);
    this.#timer ??= setInterval(() => this.#tell(), TELL_EVERY_MS);
    return {
      [Symbol.dispose]: () => {
        this.#machines.delete(machine);
        this.#rowsBefore += machine.rows;
        if (this.#machines.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #tell(): void {
    const runs = Array.from(this.#machines, ([machine, path]) => {
      return { path, rows: machine.rows, groups: [...machine.openGroups].length };
    });
    const groups = runs.reduce((sum, run) => sum + run.groups, 0);
    this.#onEvent({ type: 'join-progress', path: this.#path, rows: this.rows, groups, runs });
  }
}
