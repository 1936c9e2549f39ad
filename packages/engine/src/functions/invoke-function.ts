import { DataDesignerError, ParseFailure } from '@data-designer/core';
import { plainValue } from './plain-value.ts';
import { wordsOf } from './words-of.ts';

/**
 * What a function gives, as plain data; `judge` makes it so. Throws failures only: what else it throws becomes
 * `function/threw`.
 */
export async function invokeFunction(
  name: string,
  call: () => unknown,
  judge: (value: unknown, name: string) => unknown = plainValue,
): Promise<unknown> {
  let value: unknown;
  try {
    value = await call();
  } catch (thrown) {
    throw functionFailure(thrown, name);
  }
  return judge(value, name);
}

/** What a function has thrown, as a failure; the failure of something that it asked stays what it is. */
function functionFailure(thrown: unknown, name: string): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  return new DataDesignerError('function/threw', { function: name, reason: wordsOf(thrown) }, { cause: thrown });
}

/** A parser's failure that lets the model correct itself stays one; another is the function's. */
export async function invokeParser(name: string, call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    throw thrown instanceof ParseFailure ? thrown : functionFailure(thrown, name);
  }
}
