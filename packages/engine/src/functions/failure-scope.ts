import { type DataDesignerError, type FailureCode, isForAll } from '@data-designer/core';

/** Failures that concern every row, not one. */
const ENDS_RUN: ReadonlySet<FailureCode> = new Set([
  'run/aborted',
  'run/over',
  'run/gateway-lost',
  'run/cell-failed',
  'function/unavailable',
  'tool/unavailable',
  'tool/never-answered',
  'model/unauthorized',
  'model/quota-exceeded',
  'model/permission-denied',
  'model/not-found',
]);

/** Failures after which finished rows cannot be written, or nobody wants them. */
const DISCARDS_ROWS: ReadonlySet<FailureCode> = new Set(['run/aborted', 'run/gateway-lost', 'journal/ends']);

/** Whether finished rows can be written although this failure ends the run. */
export function keepsRows({ code }: DataDesignerError): boolean {
  return !DISCARDS_ROWS.has(code) && !code.startsWith('dataset/');
}

/** Whether every other cell would meet the failure too. */
export function endsRun(failure: DataDesignerError): boolean {
  const { code } = failure;
  return ENDS_RUN.has(code) || code.startsWith('dataset/') || isForAll(failure);
}
