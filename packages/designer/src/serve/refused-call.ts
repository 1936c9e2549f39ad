import { DataDesignerError } from '@data-designer/core';

/** The failure of a call that is refused; the reason is a sentence that says what to do. */
export function refusedCall(reason: string): DataDesignerError {
  return new DataDesignerError('serve/refused', { reason });
}
