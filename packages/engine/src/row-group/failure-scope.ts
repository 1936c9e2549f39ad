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

/** Failures after which nothing can be kept or nobody wants it: the work is thrown away where it stands. */
const ENDS_AT_ONCE: ReadonlySet<FailureCode> = new Set(['run/aborted', 'run/gateway-lost', 'journal/ends']);

/** Whether the rows that are finished can be written all the same when this ends a run. */
export function leavesRows({ code }: DataDesignerError): boolean {
  return !ENDS_AT_ONCE.has(code) && !code.startsWith('dataset/');
}

/** Whether a failure of one cell would meet every other, too. */
export function endsRun(failure: DataDesignerError): boolean {
  const { code } = failure;
  return ENDS_RUN.has(code) || code.startsWith('dataset/') || isForAll(failure);
}
