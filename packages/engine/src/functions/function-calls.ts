import type { MessagePort } from 'node:worker_threads';
import {
  type Cell,
  DataDesignerError,
  type FunctionCell,
  type FunctionHandle,
  type FunctionQuestion,
  type FunctionUse,
  importFunction,
  messageOf,
  type UserFunction,
} from '@data-designer/core';
import type { BranchingCell, Functions } from './functions.ts';
import { CallPort } from './call-port.ts';
import { functionCell, FunctionGuard } from './function-cell.ts';
import { callFunction, invokeFunction, LONG_MS } from './invoke-function.ts';
import { plainValue } from './plain-value.ts';
import { joinRows, splitRows } from './split-rows.ts';

/** A question as it crosses to the worker; `parser` identifies the parser on the host. */
export interface CrossingQuestion extends Omit<FunctionQuestion<unknown>, 'parse'> {
  readonly parser?: number;
}

/** A cell as the host sees it; it calls back for everything else. */
export interface CrossingCell {
  readonly rowIndex: number;
  /** The key of its randomness. */
  readonly key: readonly [number, number];
}

/** How often running functions are checked. */
const CHECK_EVERY_MS = 5_000;

/** The functions imported into this thread, by module and name. */
const imported = new Map<string, Promise<UserFunction>>();

/**
 * The functions that a row group can call: a module's run in this thread, the calling program's on the host thread,
 * through the task's function port. Arguments and results are plain data.
 */
export class FunctionCalls implements Functions, Disposable {
  readonly #port: CallPort | undefined;
  readonly #signal: AbortSignal;
  /** The cells of running calls. */
  readonly #cells = new Map<number, readonly FunctionCell[]>();
  /** Running calls that were not reported yet. */
  readonly #running = new Map<number, { readonly name: string; readonly since: number }>();
  #watch: NodeJS.Timeout | undefined;
  #nextRun = 0;

  /** Without a port only a module's functions can be called. */
  constructor(port: MessagePort | undefined, signal: AbortSignal) {
    this.#signal = signal;
    this.#port =
      port && new CallPort(port, { ask: this.#ask.bind(this), recordOutcome: this.#recordOutcome.bind(this) });
  }

  async call(handle: FunctionHandle, args: readonly unknown[], use: FunctionUse = {}): Promise<unknown> {
    const run = this.#nextRun++;
    const guard = new FunctionGuard();
    const parts = { name: handle.handle, use, guard };
    const cells = cellsOf(use).map((cell) => functionCell(cell as BranchingCell, parts));
    this.#cells.set(run, cells);
    this.#running.set(run, { name: handle.handle, since: performance.now() });
    this.#watch ??= setInterval(() => this.#reportLongCalls(), CHECK_EVERY_MS).unref();
    try {
      const value = await (handle.module === undefined
        ? this.#runOnHost(run, handle, { args, use, cells })
        : this.#runInThread(handle, { args, use, cells }));
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

  note(column: string, message: string): void {
    this.#port?.call('note', column, message).catch(() => {});
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch);
    this.#port?.[Symbol.dispose]();
  }

  async #runInThread(handle: FunctionHandle, { args, use, cells }: Prepared): Promise<unknown> {
    const called = await importedFunction(handle);
    const context = { ...use.given, signal: this.#signal, ...cellsFor(cells) };
    // A function may change its arguments, which must not change the row.
    const own = structuredClone(args);
    const call = () => callFunction(called, [...own, context]);
    return invokeFunction(handle.handle, call, use.perRow ? splitRows : plainValue);
  }

  async #runOnHost(run: number, { handle }: FunctionHandle, { args, use, cells }: Prepared): Promise<unknown> {
    if (!this.#port) {
      throw new DataDesignerError('function/unavailable', {
        function: handle,
        reason: 'the program that defines it is not running',
      });
    }
    const crossing = cells.map(({ rowIndex, random }): CrossingCell => ({ rowIndex, key: random.key }));
    const { given, perRow } = use;
    return this.#port.call('run', { run, handle, args, given, perRow, cells: crossing });
  }

  async #ask(run: number, index: number, { parser, ...question }: CrossingQuestion): Promise<unknown> {
    const parse = (answer: unknown) => this.#port?.call('parse', run, parser, answer);
    return this.#cellOf(run, index).ask({ ...question, ...(parser === undefined ? {} : { parse }) });
  }

  async #recordOutcome(
    run: number,
    index: number,
    given: { readonly name: string; readonly work: number },
  ): Promise<unknown> {
    return this.#cellOf(run, index).recordOutcome(given.name, () => this.#port?.call('work', run, given.work));
  }

  #cellOf(run: number, index: number): FunctionCell {
    const cell = this.#cells.get(run)?.[index];
    if (cell) return cell;
    throw new DataDesignerError('run/aborted', { reason: 'the cell is finished' });
  }

  #reportLongCalls(): void {
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
  return 'rowIndex' in cells ? [cells] : cells;
}

/** The cells as properties of a function's last argument. */
export function cellsFor(cells: readonly FunctionCell[]): object {
  return cells.length === 0 ? {} : { cell: cells[0], cells };
}

/** A module's function, imported once per thread; throws `function/unavailable`. */
async function importedFunction({
  handle,
  module = '',
  export: name = 'default',
}: FunctionHandle): Promise<UserFunction> {
  const key = `${module}#${name}`;
  const known = imported.get(key);
  if (known) return known;
  const loading = importFunction(module, name).catch((thrown: unknown) => {
    throw new DataDesignerError('function/unavailable', { function: handle, reason: messageOf(thrown) });
  });
  loading.catch(() => {});
  imported.set(key, loading);
  return loading;
}
