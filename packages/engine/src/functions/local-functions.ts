import { DataDesignerError, type FunctionHandle, NEVER, untilStopped, type UserFunction } from '@data-designer/core';
import type { Functions } from './functions.ts';
import { callFunction, invokeFunction } from './invoke-function.ts';

type FunctionTable = ReadonlyMap<string, UserFunction>;

/** Calls functions of this thread by their handles. Rejects with `function/*`. */
export function localFunctions(functions: FunctionTable | undefined, signal: AbortSignal): Pick<Functions, 'call'> {
  return {
    call: async ({ handle }: FunctionHandle, args, { given } = {}) => {
      const called = findFunction(functions, handle);
      const calling = invokeFunction(handle, () => callFunction(called, [...args, { ...given, signal }]));
      // A function that ignores the signal must not delay the end of the run.
      return untilStopped(calling, { signal, drain: NEVER }, () => Promise.resolve());
    },
  };
}

/** A function of this program by its handle; throws `function/unavailable` where there is none. */
export function findFunction(functions: FunctionTable | undefined, handle: string): UserFunction {
  const found = functions?.get(handle);
  if (found) return found;
  throw new DataDesignerError('function/unavailable', { function: handle, reason: 'this program does not define it' });
}
