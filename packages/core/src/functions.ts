import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnsweredQuestion } from './cell.ts';
import type { Random } from './random.ts';

/** A function of the calling program that a declaration may hold. */
export type UserFunction = (...given: never) => unknown;

/** A function's question to a model. */
export interface FunctionQuestion<Answer> {
  /** One of the aliases that the function has declared. */
  readonly modelAlias: string;
  /** The text of the user message. Without it, or with an empty one, the model answers the end of the history. */
  readonly prompt?: string;
  /** The messages before the prompt, such as a trace, a conversation, or those of earlier questions; none by default. */
  readonly history?: readonly HistoryInput[];
  /** The text of the system message; none by default. */
  readonly systemPrompt?: string;
  /** One of the aliases that the function has declared. */
  readonly toolAlias?: string;
  /** The JSON Schema of the answer; the answer is then data. */
  readonly shape?: Readonly<Record<string, unknown>>;
  /**
   * Converts the answer's text (or data, with a `shape`) into a value; a `ParseFailure` asks the model for a correction.
   * By default the value is the text or the data.
   */
  readonly parse?: (answer: never) => Answer | Promise<Answer>;
}

/** A message of a history as a function gives it: the fields of `Message`, of which `role` is required. */
export interface HistoryInput {
  /** Who wrote the message. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The text, or the parts of a message that is more than text. */
  readonly content?: string | readonly object[] | null;
  /** The tool calls of an assistant message. */
  readonly tool_calls?: readonly object[] | null;
  /** In a tool message: the id of the call that it answers. */
  readonly tool_call_id?: string | null;
}

/** The access of a function to models and randomness. Its result may depend on its row and on this only. */
export interface FunctionCell {
  /** The row, counted from 0. */
  readonly rowIndex: number;
  /** Randomness at (column, row). */
  readonly random: Random;
  /** Aborted when the cell is no longer needed. */
  readonly signal: AbortSignal;
  /** Asks a model; rejects with its failures, which the function should not catch. */
  ask<Answer = string>(question: FunctionQuestion<Answer>): Promise<AnsweredQuestion<Answer>>;
  /**
   * Runs work whose outcome may differ between attempts. The journal stores the outcome, plain data, before it is returned;
   * a resumed run replays it without repeating the work. Thrown errors are not stored.
   */
  recordOutcome<Outcome>(name: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome>;
}

/** The address of a module that is named by its path, from the working folder unless absolute, or by its address. */
export function moduleAddress(module: string | URL): string {
  if (module instanceof URL) return module.href;
  const isAddress = !isAbsolute(module) && /^[a-z][a-z\d+.-]+:/i.test(module);
  return isAddress ? module : pathToFileURL(resolve(module)).href;
}

/**
 * A function that a module exports, for a declaration: it is imported and run in the worker threads, which it may block.
 * The module is named by its path, from the working folder unless absolute, or its address (`import.meta.resolve`).
 */
export function functionOfModule<Result = unknown>(module: string | URL, name: string): ModuleFunction<Result> {
  const address = moduleAddress(module);
  const call = async (...given: unknown[]): Promise<Result> =>
    (await importFunction(address, name))(...(given as never)) as Result;
  return Object.assign(Object.defineProperty(call, 'name', { value: name }), { module: address, export: name });
}

/** A placeholder for a function of a module. */
export interface ModuleFunction<Result = unknown> {
  (...given: unknown[]): Promise<Result>;
  /** The address of the module. */
  readonly module: string;
  /** The name of the exported function. */
  readonly export: string;
}

/** Imports a function from a module; throws an `Error` with the reason if there is none. */
export async function importFunction(module: string, name: string): Promise<UserFunction> {
  const found = await importMember(module, name);
  if (typeof found !== 'function') throw new Error(`its module ${module} exports no function '${name}'`);
  return found as UserFunction;
}

/** Imports what a module exports, or a member of it by its path, as `bank.open`; undefined if there is none. */
export async function importMember(module: string, path: string): Promise<unknown> {
  const exported: unknown = await import(module);
  return path
    .split('.')
    .reduce<unknown>((part, step) => (part ? Reflect.get(Object(part), step) : undefined), exported);
}
