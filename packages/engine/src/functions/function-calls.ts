import type { MessagePort } from 'node:worker_threads';
import {
  type Cell,
  DataDesignerError,
  type FunctionCell,
  type FunctionHandle,
  type FunctionQuestion,
  type FunctionUse,
  importFunction,
  type UserFunction,
} from '@data-designer/core';
import type { BranchingCell, Functions } from './functions.ts';
import { CallPort } from './call-port.ts';
import { functionCell, FunctionGuard } from './function-cell.ts';
import { invokeFunction } from './invoke-function.ts';
import { plainValue } from './plain-value.ts';
import { joinRows, splitRows } from './split-rows.ts';

/** A question as it crosses to the worker; `parser` names the parser that stays behind. */
export interface CrossingQuestion extends Omit<FunctionQuestion<unknown>, 'parse'> {
  readonly parser?: number;
}

/** A cell as the host is told of it: the rest of what it may use is asked for. */
export interface CrossingCell {
  readonly rowIndex: number;
  /** The key of its randomness. */
  readonly key: readonly [number, number];
}

/** How often functions that run long are looked for, and from when on they are told of. */
const LOOK_EVERY_MS = 5_000;
const LONG_MS = 30_000;

/** The functions that were imported into this thread, by module and name. */
const imported = new Map<string, Promise<UserFunction>>();

/**
 * The functions that a row group may call: those of modules in this thread, those of the calling program on its host,
 * through a port of the group's task. Arguments and results are plain data.
 */
export class FunctionCalls implements Functions, Disposable {
  readonly #port: CallPort | undefined;
  readonly #signal: AbortSignal;
  /** The cells of the calls that the host runs. */
  readonly #cells = new Map<number, readonly FunctionCell[]>();
  /** Since when calls run, and which; those that were told of are taken out. */
  readonly #running = new Map<number, { readonly name: string; readonly since: number }>();
  #watch: NodeJS.Timeout | undefined;
  #nextRun = 0;

  /** Without a port only functions of modules can be called. */
  constructor(port: MessagePort | undefined, signal: AbortSignal) {
    this.#signal = signal;
    this.#port = port && new CallPort(port, { ask: this.#ask.bind(this), outside: this.#outside.bind(this) });
  }

  /** Calls a function; rejects with `function/*`, or the failure of something that it asked. */
  async call(handle: FunctionHandle, args: readonly unknown[], use: FunctionUse = {}): Promise<unknown> {
    const run = this.#nextRun++;
    const guard = new FunctionGuard();
    const parts = { name: handle.handle, use, guard };
    const cells = cellsOf(use).map((cell) => functionCell(cell as BranchingCell, parts));
    this.#cells.set(run, cells);
    this.#running.set(run, { name: handle.handle, since: performance.now() });
    this.#watch ??= setInterval(() => this.#lookForLong(), LOOK_EVERY_MS).unref();
    try {
      const value = await (handle.module === undefined
        ? this.#runThere(run, handle, { args, use, cells })
        : this.#runHere(handle, { args, use, cells }));
      if (guard.failure) throw guard.failure;
      return use.perRow ? joinRows(value) : value;
    } catch (thrown) {
      throw guard.failure ?? thrown;
    } finally {
      guard.isOver = true;
      this.#cells.delete(run);
      this.#running.delete(run);
    }
  }

  /** Says something about a column; the host tells the same once. */
  note(column: string, message: string): void {
    this.#port?.call('note', column, message).catch(() => {});
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch);
    this.#port?.[Symbol.dispose]();
  }

  async #runHere(handle: FunctionHandle, { args, use, cells }: Prepared): Promise<unknown> {
    const called = await functionOf(handle);
    const context = { ...use.given, signal: this.#signal, ...cellsFor(cells) };
    // What a function changes in its arguments must not change the row.
    const own = structuredClone(args);
    const call = () => called(...([...own, context] as never));
    return invokeFunction(handle.handle, call, use.perRow ? splitRows : plainValue);
  }

  async #runThere(run: number, { handle }: FunctionHandle, { args, use, cells }: Prepared): Promise<unknown> {
    if (!this.#port) {
      throw new DataDesignerError('function/unavailable', { function: handle, reason: 'its program is not here' });
    }
    const crossing = cells.map(({ rowIndex, random }): CrossingCell => ({ rowIndex, key: random.key }));
    const { given, perRow } = use;
    return this.#port.call('run', { run, handle, args, given, perRow, cells: crossing });
  }

  async #ask(run: number, index: number, { parser, ...question }: CrossingQuestion): Promise<unknown> {
    const parse = (answer: unknown) => this.#port?.call('parse', run, parser, answer);
    return this.#cellOf(run, index).ask({ ...question, ...(parser === undefined ? {} : { parse }) });
  }

  async #outside(
    run: number,
    index: number,
    given: { readonly name: string; readonly work: number },
  ): Promise<unknown> {
    return this.#cellOf(run, index).outside(given.name, () => this.#port?.call('work', run, given.work));
  }

  #cellOf(run: number, index: number): FunctionCell {
    const cell = this.#cells.get(run)?.[index];
    if (cell) return cell;
    throw new DataDesignerError('run/aborted', { reason: 'the cell is made' });
  }

  #lookForLong(): void {
    const now = performance.now();
    for (const [run, { name, since }] of this.#running) {
      if (now - since < LONG_MS) continue;
      this.#running.delete(run);
      this.#port?.call('wait', name, Math.round((now - since) / 1000)).catch(() => {});
    }
  }
}

interface Prepared {
  readonly args: readonly unknown[];
  readonly use: FunctionUse;
  readonly cells: readonly FunctionCell[];
}

function cellsOf({ cells = [] }: FunctionUse): readonly Cell[] {
  return Array.isArray(cells) ? (cells as readonly Cell[]) : [cells as Cell];
}

/** The cells as the last argument of a function holds them. */
export function cellsFor(cells: readonly FunctionCell[]): object {
  return cells.length === 0 ? {} : { cell: cells[0], cells };
}

/** A function of a module, imported once a thread; throws `function/unavailable`. */
async function functionOf({ handle, module = '', export: name = 'default' }: FunctionHandle): Promise<UserFunction> {
  const key = `${module}#${name}`;
  const known = imported.get(key);
  if (known) return known;
  const loading = importFunction(module, name).catch((thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new DataDesignerError('function/unavailable', { function: handle, reason });
  });
  loading.catch(() => {});
  imported.set(key, loading);
  return loading;
}
