import type { Ran, Run, RunLimits } from './run.ts';

/** An engine as the process of a sandbox uses it. */
export type RunProgram = (run: Run, limits: RunLimits) => Promise<Omit<Ran, 'ms'>>;

/** What runs the programs of a language. */
export interface Engine {
  /** Loads it in the process of a sandbox. */
  readonly open: () => Promise<RunProgram>;
  /** Whether one process may run the programs of several rows: the engine then gives each run fresh state. */
  readonly isReusable: boolean;
  /** Packages whose files it reads. */
  readonly packages: readonly string[];
  /** Flags of Node beside those of every sandbox. */
  readonly flags: readonly string[];
}

/** Declares an engine. */
export function defineEngine(engine: Engine): Engine {
  return engine;
}

/** What a program prints, up to a limit. */
export class Output {
  text = '';
  /** Whether it printed more than it may. */
  isOver = false;
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns false for text that is too much. */
  add(text: string): boolean {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#most) this.isOver = true;
    else this.text += text;
    return !this.isOver;
  }
}
