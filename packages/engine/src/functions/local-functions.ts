import { type FunctionHandle, NEVER, untilStopped, type UserFunction } from '@data-designer/core';
import type { FunctionCaller } from '../row-group/apply-processor.ts';
import { functionOf } from './function-of.ts';
import { invokeFunction } from './invoke-function.ts';

/** Calls functions of this thread, by their handles. Rejects with `function/*`. */
export function functionsHere(
  functions: ReadonlyMap<string, UserFunction> | undefined,
  signal: AbortSignal,
): FunctionCaller {
  return {
    call: async ({ handle }: FunctionHandle, args, { given } = {}) => {
      const called = functionOf(functions, handle);
      const calling = invokeFunction(handle, () => called(...([...args, { ...given, signal }] as never)));
      // A function that pays no heed to the signal holds nobody up.
      return untilStopped(calling, { signal, drain: NEVER }, () => Promise.resolve());
    },
  };
}
