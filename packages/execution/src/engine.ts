import { type CellValue, stringifyJson } from '@data-designer/core';
import type { Ran, Run, RunFailure, RunLimits } from './run.ts';

/** A run that an engine has ended. */
export type Ended = Omit<Ran, 'ms'>;

/** An engine as the process of a sandbox uses it. */
export type RunProgram = (run: Run, limits: RunLimits) => Promise<Ended>;

/** What runs the programs of a language. */
export interface Engine {
  /** Loads it in the process of a sandbox, with what `prepare` gave. */
  readonly open: (prepared: Uint8Array) => Promise<RunProgram>;
  /** What one process makes, before any program runs, so that those behind it start sooner. */
  readonly prepare?: () => Promise<Uint8Array>;
  /**
   * Whether one process may run the programs of several rows: the engine then gives each run fresh state, and ends it at
   * its limit of time.
   */
  readonly isReusable: boolean;
  /** Whether a program may keep the thread busy, so that another thread must see the end of the parent. */
  readonly blocks: boolean;
  /** Packages whose files it reads, and nothing else; undefined for an engine that may do what this program may. */
  readonly packages: readonly string[] | undefined;
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

/** The lines that a program reads. */
export function inputLines({ input = '' }: Run): string[] {
  const lines = input.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A run that failed, with what it printed before. */
export function failedRun(failure: RunFailure, output = ''): Ended {
  return { failure, output, value: null, memoryBytes: null };
}

/** The failure of a run that takes too long. */
export function tooLong({ timeoutMs }: RunLimits): RunFailure {
  return { kind: 'timeout', message: `it ran for longer than ${timeoutMs / 1000} s` };
}

/** The failure of a run that gives or prints too much. */
export function tooMuch(what: string, { outputBytes }: RunLimits): RunFailure {
  return { kind: 'output', message: `${what} more than ${outputBytes} bytes` };
}

/** The rows of a query as its value, unless they are too much. */
export function rowsWithin(rows: CellValue, limits: RunLimits): Ended {
  return isTooLarge(rows, limits)
    ? failedRun(tooMuch('the rows have', limits))
    : { failure: null, output: '', value: rows, memoryBytes: null };
}

/** Whether a value has more bytes as JSON than a run may give. */
export function isTooLarge(value: CellValue, { outputBytes }: RunLimits): boolean {
  return Buffer.byteLength(stringifyJson(value)) > outputBytes;
}
