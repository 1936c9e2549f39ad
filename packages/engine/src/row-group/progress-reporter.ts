import type { GroupProgress, GroupWatch } from './group-progress.ts';

/** Ten times a second at most: as often as an eye wants to know. */
const TELL_EVERY_MS = 100;

/** What a worker tells its host meanwhile: how far the groups that are open in it have come. */
export interface ProgressMessage {
  readonly kind: 'progress';
  readonly run: string;
  readonly groups: readonly GroupProgress[];
}

/** Tells how far the open row groups of a thread have come, all of one run in one message, while there are any. */
export class ProgressTeller {
  readonly #tell: (message: ProgressMessage) => void;
  readonly #open = new Map<() => GroupProgress, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (message: ProgressMessage) => void) {
    this.#tell = tell;
  }

  /** Has a group looked at until what is given back is disposed of, and told of at once when that is asked for. */
  watch(run: string, look: () => GroupProgress): GroupWatch {
    this.#open.set(look, run);
    this.#timer ??= setInterval(() => this.#say(), TELL_EVERY_MS).unref();
    const tell = () => this.#tell({ kind: 'progress', run, groups: [look()] });
    return { tell, [Symbol.dispose]: () => this.#forget(look) };
  }

  #forget(look: () => GroupProgress): void {
    this.#open.delete(look);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #say(): void {
    const byRun = Map.groupBy(this.#open, ([, run]) => run);
    for (const [run, looks] of byRun) this.#tell({ kind: 'progress', run, groups: looks.map(([look]) => look()) });
  }
}
