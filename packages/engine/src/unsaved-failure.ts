import { DataDesignerError } from '@data-designer/core';

/** A failure of what saves no answers: its message does not speak of saved ones, and of a resume, where it did. */
export function unsavedFailure(failure: DataDesignerError): DataDesignerError {
  const { code, data, cause } = failure;
  const told = new DataDesignerError(code, { ...(data as object), isPreview: true } as never, { cause });
  return told.message === failure.message ? failure : told;
}
