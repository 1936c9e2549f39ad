import { DataDesignerError, type FunctionHandle, NEVER, untilStopped, type UserFunction } from '@data-designer/core';
import type { Functions } from './functions.ts';
import { callFunction, invokeFunction, LONG_MS } from './invoke-function.ts';

type FunctionTable = ReadonlyMap<string, UserFunction>;

/** How functions of this thread are called. */
interface LocalCallOptions {
  /** Aborted when results are no longer wanted. */
  readonly signal: AbortSignal;
  /** Called once with a function that runs for long, and the seconds so far. */
  readonly onWait?: (name: string, seconds: number) => void;
  /** After how many ms a call is long. */
  readonly longMs?: number;
}

/** Calls functions of this thread by their handles. Rejects with `function/*`. */
export function localFunctions(
  functions: FunctionTable | undefined,
  { signal, onWait, longMs = LONG_MS }: LocalCallOptions,
): Pick<Functions, 'call'> {
  return {
    call: async ({ handle }: FunctionHandle, args, { given } = {}) => {
      const called = findFunction(functions, handle);
      const timer = onWait && setTimeout(() => onWait(handle, Math.round(longMs / 1000)), longMs);
      const calling = invokeFunction(handle, () => callFunction(called, [...args, { ...given, signal }]));
      // A function that ignores the signal must not delay the end of the run.
      return untilStopped(calling, { signal, drain: NEVER }, () => Promise.resolve()).finally(() =>
        clearTimeout(timer),
      );
    },
  };
}

/** A function of this program by its handle; throws `function/unavailable` where there is none. */
export function findFunction(functions: FunctionTable | undefined, handle: string): UserFunction {
  const found = functions?.get(handle);
  if (found) return found;
  throw new DataDesignerError('function/unavailable', { function: handle, reason: 'this program does not define it' });
}
