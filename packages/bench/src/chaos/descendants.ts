import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often is looked for new ones. */
const LOOK_MS = 50;
/** How long they may take to see that their parent is gone. */
const END_MS = 15_000;

/** Remembers the processes that come of one, to see that they end with it. Knows of none where there is no `/proc`. */
export class Descendants implements Disposable {
  readonly #root: number;
  /** When each began, in the kernel's ticks: its number may be another process's later. */
  readonly #seen = new Map<number, string>();
  readonly #timer: NodeJS.Timeout;

  constructor(root: number) {
    this.#root = root;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Waits for their end; gives the numbers of those that live on. */
  async survivors(): Promise<readonly number[]> {
    clearInterval(this.#timer);
    for (const end = performance.now() + END_MS; ;) {
      const left = [...this.#seen].filter(([pid, birth]) => statOf(pid)?.birth === birth).map(([pid]) => pid);
      if (left.length === 0 || performance.now() > end) return left;
      await sleep(LOOK_MS);
    }
  }

  #look(): void {
    const all = processes();
    let found = [this.#root];
    while (found.length > 0) {
      const parents = new Set(found);
      found = [];
      for (const [pid, { parent, birth }] of all) {
        if (!parents.has(parent)) continue;
        this.#seen.set(pid, birth);
        found.push(pid);
      }
    }
  }
}

interface Stat {
  readonly parent: number;
  readonly birth: string;
}

function processes(): ReadonlyMap<number, Stat> {
  const all = new Map<number, Stat>();
  for (const name of namesIn('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) all.set(Number(name), stat);
  }
  return all;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Parent and begin of a process that lives; one that only waits to be noticed does not. */
function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name in brackets, may hold spaces.
    const [state, parent, ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { parent: Number(parent), birth: others[17] ?? '' };
  } catch {
    return undefined;
  }
}
