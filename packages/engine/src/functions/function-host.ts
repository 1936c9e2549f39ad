import { MessageChannel, type MessagePort } from 'node:worker_threads';
import {
  type AnsweredQuestion,
  type FunctionCell,
  type FunctionQuestion,
  Random,
  type UserFunction,
} from '@data-designer/core';
import { CallPort } from './call-port.ts';
import { cellsFor, type CrossingCell, type CrossingQuestion } from './function-calls.ts';
import { allowUnhandled, callFunction, invokeFunction, invokeParser } from './invoke-function.ts';
import { findFunction } from './local-functions.ts';
import { plainValue } from './plain-value.ts';
import { type ReplayableCall, ReplayedResults } from './replayed-results.ts';
import { splitRows } from './split-rows.ts';

/** What functions of the calling program, and the columns they make, report during a run. */
export type FunctionEvent =
  /** A remark about a column; the same remark is reported once per run. */
  | { readonly type: 'column-log'; readonly column: string; readonly message: string }
  /** A function has not ended after this time; `isBlocking` where it blocked the calling program's thread meanwhile. */
  | {
      readonly type: 'function-wait';
      readonly function: string;
      readonly seconds: number;
      readonly isBlocking: boolean;
    };

/** A function that blocks the thread for this long delays the run. */
const BLOCKED_MS = 3_000;

/** One call as a worker requests it. */
interface Run extends ReplayableCall {
  readonly run: number;
  readonly perRow?: boolean;
  readonly cells: readonly CrossingCell[];
}

/** A parser, or work whose outcome is journaled, that the worker calls back. */
type Callback = (answer?: unknown) => unknown;

/** Runs the functions of the calling program, on its thread, for the row groups that call them. */
export class FunctionHost {
  readonly #functions: ReadonlyMap<string, UserFunction>;
  readonly #onEvent: (event: FunctionEvent) => void;
  readonly #remarks = new Set<string>();
  readonly #replayed = new ReplayedResults();

  /** `onEvent` must not throw. */
  constructor(functions: ReadonlyMap<string, UserFunction>, onEvent: (event: FunctionEvent) => void = () => {}) {
    this.#functions = functions;
    this.#onEvent = onEvent;
  }

  /**
   * Opens the port through which one row group calls; the functions' `signal` is aborted once it closes. Results of a dry
   * replay are kept for the run that follows, unless the function used its cell.
   */
  open({ isDryReplay = false }: { readonly isDryReplay?: boolean } = {}): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const callbacks = new Map<number, Callback[]>();
    const callBack = (run: number, id: number, answer?: unknown) => callbacks.get(run)?.[id]?.(answer);
    const port: CallPort = new CallPort(port1, {
      run: (run: Run) =>
        isDryReplay ? this.#dryRun(run, { port, callbacks }) : this.#runOnce(run, { port, callbacks }),
      parse: callBack,
      work: callBack,
      note: (column: string, message: string) => this.#note(column, message),
      wait: (name: string, seconds: number) =>
        this.#onEvent({ type: 'function-wait', function: name, seconds, isBlocking: false }),
    });
    return port2;
  }

  #runOnce(call: Run, side: Side): Promise<unknown> {
    const replayed = this.#replayed.take(call);
    return replayed ? Promise.resolve(replayed.result) : this.#run(call, { ...side, onUse: () => {} });
  }

  async #dryRun(call: Run, side: Side): Promise<unknown> {
    // A function may change its arguments.
    const unchanged = { ...call, args: structuredClone(call.args) };
    let usedCell = false;
    const result = await this.#run(call, { ...side, onUse: () => (usedCell = true) });
    if (!usedCell) this.#replayed.add(unchanged, result);
    return result;
  }

  async #run(call: Run, side: HostSide): Promise<unknown> {
    const { handle, args, given, cells, perRow } = call;
    const called = findFunction(this.#functions, handle);
    const own = cells.map((cell, index) => hostCell(cell, { ...side, run: call.run, index, name: handle }));
    const context = { ...given, signal: side.port.closed, ...cellsFor(own) };
    try {
      const timed = () => this.#timed(handle, () => callFunction(called, [...args, context]));
      return await invokeFunction(handle, timed, perRow ? splitRows : plainValue);
    } finally {
      side.callbacks.delete(call.run);
    }
  }

  /** Reports a call that blocked the thread for long, once it returns. */
  #timed(name: string, call: () => unknown): unknown {
    const since = performance.now();
    try {
      return call();
    } finally {
      const blockedMs = performance.now() - since;
      if (blockedMs >= BLOCKED_MS) {
        const seconds = Math.round(blockedMs / 1000);
        this.#onEvent({ type: 'function-wait', function: name, seconds, isBlocking: true });
      }
    }
  }

  #note(column: string, message: string): void {
    const key = `${column}\n${message}`;
    if (this.#remarks.has(key)) return;
    this.#remarks.add(key);
    this.#onEvent({ type: 'column-log', column, message });
  }
}

interface Side {
  readonly port: CallPort;
  readonly callbacks: Map<number, Callback[]>;
}

interface HostSide extends Side {
  /** Called before the function uses its cell. */
  readonly onUse: () => void;
}

/** A cell for a function on the host: its requests go through the worker that makes the cell. */
function hostCell(
  { rowIndex, key }: CrossingCell,
  { port, callbacks, onUse, run, index, name }: HostSide & { run: number; index: number; name: string },
): FunctionCell {
  const addCallback = (callback: Callback): number => {
    const all = callbacks.get(run) ?? [];
    callbacks.set(run, all);
    return all.push(callback) - 1;
  };
  const ask = async <Answer>(question: FunctionQuestion<Answer>): Promise<AnsweredQuestion<Answer>> => {
    onUse();
    const { parse } = question;
    // A parser's result stays on the host, as it need not be plain data.
    let parsed: unknown;
    const keepParsed = async (answer: unknown): Promise<null> => {
      parsed = await invokeParser(name, () => parse?.(answer as never));
      return null;
    };
    const parser = parse && addCallback(keepParsed);
    const asked = port.call('ask', run, index, crossing(question, { parser, name }));
    const answered = (await asked) as AnsweredQuestion<Answer>;
    return parse ? { ...answered, value: parsed as Answer } : answered;
  };
  const recordOutcome = async <Outcome>(what: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome> => {
    onUse();
    const id = addCallback(() => invokeFunction(name, work));
    return (await port.call('recordOutcome', run, index, { name: what, work: id })) as Outcome;
  };
  return {
    rowIndex,
    random: new Random(...key).at(rowIndex),
    signal: port.closed,
    ask: (question) => allowUnhandled(ask(question)),
    recordOutcome: (what, work) => allowUnhandled(recordOutcome(what, work)),
  };
}

/** A question as plain data. */
function crossing(
  { parse: _, ...question }: FunctionQuestion<unknown>,
  { parser, name }: { readonly parser: number | undefined; readonly name: string },
): CrossingQuestion {
  const all = { ...question, ...(parser === undefined ? {} : { parser }) };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return plainValue(Object.fromEntries(given) as unknown as CrossingQuestion, name, 'its question');
}
