import { DataDesignerError, type FunctionHandle, type UserFunction } from '@data-designer/core';
import type { FunctionCaller } from '../row-group/apply-process.ts';
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
      return invokeFunction(handle, () => called(...([...args, { ...given, signal }] as never)));
    },
  };
}
