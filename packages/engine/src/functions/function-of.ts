import { DataDesignerError, type UserFunction } from '@data-designer/core';

/** A function of this program by its handle; throws `function/unavailable` where there is none. */
export function functionOf(functions: ReadonlyMap<string, UserFunction> | undefined, handle: string): UserFunction {
  const found = functions?.get(handle);
  if (found) return found;
  throw new DataDesignerError('function/unavailable', { function: handle, reason: 'this program has none of it' });
}
