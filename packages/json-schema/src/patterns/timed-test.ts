import vm from 'node:vm';
import { DataDesignerError } from '@data-designer/core';

/** How long one text may be matched against one pattern. */
const LIMIT_MS = 1_000;

const CODE = new vm.Script('expression.test(text)');
let realm: vm.Context | undefined;

/** Whether a text matches, for a pattern whose work has no bound; throws `answer/pattern-timed-out`. */
export function timedTest(expression: RegExp): (text: string) => boolean {
  return (text) => {
    realm ??= vm.createContext({});
    Object.assign(realm, { expression, text });
    try {
      return CODE.runInContext(realm, { timeout: LIMIT_MS }) as boolean;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause;
      throw new DataDesignerError('answer/pattern-timed-out', { pattern: expression.source, limitMs: LIMIT_MS });
    }
  };
}
