import { type DataDesignerError, type FailureCode, isForAll } from '@data-designer/core';

/** Failures that are not about one row. */
const ENDS_RUN: ReadonlySet<FailureCode> = new Set([
  'run/aborted',
  'run/over',
  'run/gateway-lost',
  'run/cell-failed',
  'function/unavailable',
  'tool/unavailable',
  'model/unauthorized',
  'model/quota-exceeded',
  'model/permission-denied',
  'model/not-found',
]);

/** Whether a failure of one cell would meet every other, too. */
export function endsRun(failure: DataDesignerError): boolean {
  const { code } = failure;
  return ENDS_RUN.has(code) || code.startsWith('dataset/') || isForAll(failure);
}
