import vm from 'node:vm';
import { fieldsOf } from '@data-designer/core';

const CALL = new vm.Script('work()');
let realm: vm.Context | undefined;

/** Runs synchronous work; throws what `timedOut` makes if it takes longer than the limit, which ends it at any instruction. */
export function withTimeLimit<Result>(
  work: () => Result,
  { limitMs, timedOut }: { readonly limitMs: number; readonly timedOut: () => Error },
): Result {
  realm ??= vm.createContext({});
  Object.assign(realm, { work });
  try {
    return CALL.runInContext(realm, { timeout: limitMs }) as Result;
  } catch (cause) {
    throw fieldsOf(cause)['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? timedOut() : cause;
  } finally {
    Object.assign(realm, { work: undefined });
  }
}
