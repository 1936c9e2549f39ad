import { DataDesignerError } from '@data-designer/core';

/** The error of a workflow, or of one of its stages, that cannot run. */
export function invalidWorkflow(
  at: { readonly workflow: string; readonly stage?: string },
  reason: string,
): DataDesignerError<'workflow/invalid'> {
  return new DataDesignerError('workflow/invalid', { ...at, reason });
}
