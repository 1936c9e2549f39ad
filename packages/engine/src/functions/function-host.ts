import { MessageChannel, type MessagePort } from 'node:worker_threads';
import {
  type Answered,
  type FunctionCell,
  type FunctionQuestion,
  Random,
  type UserFunction,
} from '@data-designer/core';
import { CallPort } from './call-port.ts';
import { handedOut } from './handed-out.ts';
import { cellsFor, type CrossingCell, type CrossingQuestion } from './function-calls.ts';
import type { FunctionEvent } from './function-event.ts';
import { functionOf } from './function-of.ts';
import { invokeFunction, invokeParser } from './invoke-function.ts';
import { KeptResults } from './replayed-results.ts';
import { plainValue } from './plain-value.ts';
import { splitRows } from './split-rows.ts';

/** A function that holds the thread for so long at once holds up the run. */
const BLOCKED_MS = 3_000;

/** One call as a worker asks for it. */
interface Run {
  readonly run: number;
  readonly handle: string;
  readonly args: readonly unknown[];
  readonly given?: Readonly<Record<string, unknown>>;
  readonly perRow?: boolean;
  readonly cells: readonly CrossingCell[];
}

/** What a run of a function has left here for the worker to call: parsers, and work that is to be kept. */
type Left = (answer?: unknown) => unknown;

/** Keeps the functions of the calling program, and runs them for the row groups that ask, on this thread. */
export class FunctionHost {
  readonly #functions: ReadonlyMap<string, UserFunction>;
  readonly #onEvent: (event: FunctionEvent) => void;
  readonly #told = new Set<string>();
  readonly #kept = new KeptResults();

  /** `onEvent` must not throw. */
  constructor(functions: ReadonlyMap<string, UserFunction>, onEvent: (event: FunctionEvent) => void = () => {}) {
    this.#functions = functions;
    this.#onEvent = onEvent;
  }

  /**
   * The port through which one row group calls; its functions' `signal` is aborted once it is closed. What functions give
   * while a journal is only looked at is kept for the run, as far as they need nothing of the outside.
   */
  open({ isDryReplay = false }: { readonly isDryReplay?: boolean } = {}): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const left = new Map<number, Left[]>();
    const doLeft = (run: number, id: number, answer?: unknown) => left.get(run)?.[id]?.(answer);
    const port: CallPort = new CallPort(port1, {
      run: (run: Run) => (isDryReplay ? this.#look(run, { port, left }) : this.#runOrKept(run, { port, left })),
      parse: doLeft,
      work: doLeft,
      note: (column: string, message: string) => this.#note(column, message),
      wait: (name: string, seconds: number) =>
        this.#onEvent({ type: 'function-wait', function: name, seconds, isBlocking: false }),
    });
    return port2;
  }

  #runOrKept(asked: Run, side: Side): Promise<unknown> {
    const kept = this.#kept.take(asked);
    return kept ? Promise.resolve(kept.result) : this.#run(asked, { ...side, onReach: () => {} });
  }

  async #look(asked: Run, side: Side): Promise<unknown> {
    // A function may change what it is given.
    const call = { ...asked, args: structuredClone(asked.args) };
    let hasReached = false;
    const result = await this.#run(asked, { ...side, onReach: () => (hasReached = true) });
    if (!hasReached) this.#kept.keep(call, result);
    return result;
  }

  async #run(asked: Run, side: HostSide): Promise<unknown> {
    const { handle, args, given, cells, perRow } = asked;
    const called = functionOf(this.#functions, handle);
    const own = cells.map((cell, index) => hostCell(cell, { ...side, run: asked.run, index, name: handle }));
    const context = { ...given, signal: side.port.closed, ...cellsFor(own) };
    try {
      const call = () => this.#timed(handle, () => called(...([...args, context] as never)));
      return await invokeFunction(handle, call, perRow ? splitRows : plainValue);
    } finally {
      side.left.delete(asked.run);
    }
  }

  /** Whether a function gives the thread back soon is seen once it has. */
  #timed(name: string, call: () => unknown): unknown {
    const since = performance.now();
    try {
      return call();
    } finally {
      const heldMs = performance.now() - since;
      if (heldMs >= BLOCKED_MS) {
        const seconds = Math.round(heldMs / 1000);
        this.#onEvent({ type: 'function-wait', function: name, seconds, isBlocking: true });
      }
    }
  }

  #note(column: string, message: string): void {
    const key = `${column}\n${message}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onEvent({ type: 'column-log', column, message });
  }
}

interface Side {
  readonly port: CallPort;
  readonly left: Map<number, Left[]>;
}

interface HostSide extends Side {
  /** Called before anything is asked or done outside. */
  readonly onReach: () => void;
}

/** A cell as a function on the host has it: what it asks is asked by the worker that makes the cell. */
function hostCell(
  { rowIndex, key }: CrossingCell,
  { port, left, onReach, run, index, name }: HostSide & { run: number; index: number; name: string },
): FunctionCell {
  const leave = (one: Left): number => {
    const all = left.get(run) ?? [];
    left.set(run, all);
    return all.push(one) - 1;
  };
  const ask = async <Answer>(question: FunctionQuestion<Answer>): Promise<Answered<Answer>> => {
    onReach();
    const { parse } = question;
    // What a parser makes of an answer stays here: it need not be plain data.
    let parsed: unknown;
    const keepParsed = async (answer: unknown): Promise<null> => {
      parsed = await invokeParser(name, () => parse?.(answer as never));
      return null;
    };
    const parser = parse && leave(keepParsed);
    const asked = port.call('ask', run, index, crossing(question, { parser, name }));
    const { value, messages } = (await asked) as Answered<Answer>;
    return { value: parse ? (parsed as Answer) : value, messages };
  };
  const outside = async <Outcome>(what: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome> => {
    onReach();
    const id = leave(() => invokeFunction(name, work));
    return (await port.call('outside', run, index, { name: what, work: id })) as Outcome;
  };
  return {
    rowIndex,
    random: new Random(...key).at(rowIndex),
    signal: port.closed,
    ask: (question) => handedOut(ask(question)),
    outside: (what, work) => handedOut(outside(what, work)),
  };
}

/** A question as plain data. */
function crossing(
  { parse: _, ...question }: FunctionQuestion<unknown>,
  { parser, name }: { readonly parser: number | undefined; readonly name: string },
): CrossingQuestion {
  const given = Object.entries({ ...question, parser }).filter(([, value]) => value !== undefined);
  return plainValue(Object.fromEntries(given) as unknown as CrossingQuestion, name, 'what it asks');
}
