import type { MachinePart } from '../session/lead-session.ts';
import type { JoinEvent } from './join-event.ts';

/** How often this machine reports what it does. */
const REPORT_EVERY_MS = 1000;

/** Counts what this machine makes in its runs, and reports it once a second while it takes part in any. */
export class JoinProgress {
  readonly #path: string;
  readonly #onEvent: (event: JoinEvent) => void;
  /** This machine in the runs that it has joined, and in those of sessions that it coordinates. */
  readonly #counted = new Set<Iterable<MachinePart>>();
  #rowsBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `path` is the folder that this machine has joined; `onEvent` must not throw. */
  constructor(path: string, onEvent: (event: JoinEvent) => void) {
    this.#path = path;
    this.#onEvent = onEvent;
  }

  /** The rows of the groups that this machine has committed, in all runs. */
  get rows(): number {
    return sum(this.#machines, 'rows', this.#rowsBefore);
  }

  /** Counts this machine in its runs, which may become more, until it is disposed of. */
  count(machines: Iterable<MachinePart>): Disposable {
    this.#counted.add(machines);
    this.#timer ??= setInterval(() => this.#report(), REPORT_EVERY_MS);
    return {
      [Symbol.dispose]: () => {
        this.#counted.delete(machines);
        this.#rowsBefore = sum([...machines], 'rows', this.#rowsBefore);
        if (this.#counted.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  get #machines(): readonly MachinePart[] {
    return [...this.#counted].flatMap((machines) => [...machines]);
  }

  #report(): void {
    const open = this.#machines.filter(({ isClosed }) => !isClosed);
    const runs = open.map(({ folder: path, rows, openRows, openGroups }) => {
      return { path, rows: rows + openRows, groups: [...openGroups].length };
    });
    const rows = sum(open, 'openRows', this.rows);
    this.#onEvent({ type: 'join-progress', path: this.#path, rows, groups: sum(runs, 'groups'), runs });
  }
}

function sum<Key extends string>(all: readonly Readonly<Record<Key, number>>[], key: Key, before = 0): number {
  return all.reduce((total, one) => total + one[key], before);
}
