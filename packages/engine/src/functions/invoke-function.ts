import { DataDesignerError, ParseFailure, type UserFunction } from '@data-designer/core';
import { describeThrown, plainValue } from './plain-value.ts';

/** A call that takes longer is reported. */
export const LONG_MS = 30_000;

/** Calls a function and returns its result as plain data, converted by `convert`. Other errors become `function/threw`. */
export async function invokeFunction(
  name: string,
  call: () => unknown,
  convert: (value: unknown, name: string) => unknown = plainValue,
): Promise<unknown> {
  let value: unknown;
  try {
    value = await call();
  } catch (thrown) {
    throw functionFailure(thrown, name);
  }
  return convert(value, name);
}

/** A thrown value as a failure of the function; the failure of a request that it made stays as it is. */
function functionFailure(thrown: unknown, name: string): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  return new DataDesignerError('function/threw', { function: name, reason: describeThrown(thrown) }, { cause: thrown });
}

/** Calls a parser: a `ParseFailure` goes back to the model, any other error is the function's. */
export async function invokeParser(name: string, call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    throw parseFailureOf(thrown) ?? functionFailure(thrown, name);
  }
}

/** A `ParseFailure`, also one of another installed copy of the package: a code config may import its own. */
function parseFailureOf(thrown: unknown): ParseFailure | undefined {
  if (thrown instanceof ParseFailure) return thrown;
  return thrown instanceof Error && thrown.name === 'ParseFailure' ? new ParseFailure(thrown.message) : undefined;
}

/** Marks a promise whose rejection may stay unhandled: a function may leave a request behind when its row is over. */
export function allowUnhandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** Calls a user's function with arguments whose types only its author knows. */
export function callFunction(called: UserFunction, args: readonly unknown[]): unknown {
  return called(...(args as never));
}
