import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answered } from './cell.ts';
import type { Random } from './random.ts';

/** A function of the calling program that a declaration may hold. */
export type UserFunction = (...given: never) => unknown;

/** What a function asks of a model. */
export interface FunctionQuestion<Answer> {
  /** One of the aliases that the function has declared. */
  readonly modelAlias: string;
  readonly prompt: string;
  readonly systemPrompt?: string;
  /** One of the aliases that the function has declared. */
  readonly toolAlias?: string;
  /** A JSON Schema: the answer is data that keeps it. */
  readonly shape?: Readonly<Record<string, unknown>>;
  /**
   * Makes the answer's text, or its data where there is a `shape`, into a value; a `ParseFailure` lets the model correct
   * itself. Without it the value is the text, or the data.
   */
  readonly parse?: (answer: never) => Answer | Promise<Answer>;
}

/** What a function that makes a cell may use. What it gives may depend on nothing else. */
export interface FunctionCell {
  readonly rowIndex: number;
  /** Randomness at (column, row). */
  readonly random: Random;
  /** Aborted when nobody waits for the cell any more. */
  readonly signal: AbortSignal;
  /** Asks a model; rejects with its failures, which had better not be caught. */
  ask<Answer = string>(question: FunctionQuestion<Answer>): Promise<Answered<Answer>>;
  /**
   * Does something that may come out otherwise another time: its outcome, plain data, stands in the journal before it is
   * given, and a run that goes on gives it from there without doing the work again. What is thrown is not kept.
   */
  outside<Outcome>(name: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome>;
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

/** A function that stands for one of a module. */
export interface ModuleFunction<Result = unknown> {
  (...given: unknown[]): Promise<Result>;
  readonly module: string;
  readonly export: string;
}

/** A function out of a module; throws an `Error` that says why there is none. */
export async function importFunction(module: string, name: string): Promise<UserFunction> {
  const exports = (await import(module)) as Readonly<Record<string, unknown>>;
  const found = exports[name];
  if (typeof found !== 'function') throw new Error(`its module ${module} exports no function '${name}'`);
  return found as UserFunction;
}
