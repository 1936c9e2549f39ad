import { DataDesignerError, type FunctionHandle, type UserFunction } from '@data-designer/core';
import type { FunctionCaller } from '../row-group/apply-process.ts';
import { NEVER, untilStopped } from '../stop-signals.ts';
import { invokeFunction } from './invoke-function.ts';

/** Calls functions of this thread, by their handles. Rejects with `function/*`. */
export function functionsHere(
  functions: ReadonlyMap<string, UserFunction> | undefined,
  signal: AbortSignal,
): FunctionCaller {
  return {
    call: async ({ handle }: FunctionHandle, args, { given } = {}) => {
      const called = functions?.get(handle);
      if (!called) {
        throw new DataDesignerError('function/unavailable', {
          function: handle,
          reason: 'this program has none of it',
        });
      }
      const calling = invokeFunction(handle, () => called(...([...args, { ...given, signal }] as never)));
      // A function that pays no heed to the signal holds nobody up.
      return untilStopped(calling, { signal, drain: NEVER }, () => Promise.resolve());
    },
  };
}
