import { DataDesignerError } from '@data-designer/core';

/** The failure of a template that cannot be read; line and column count from 1. */
export function syntaxError(reason: string, line: number, column: number): DataDesignerError<'template/syntax'> {
  return new DataDesignerError('template/syntax', { reason, line, column });
}
