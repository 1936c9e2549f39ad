import { type DataDesignerError, type FailureCode, fieldsOf } from '@data-designer/core';

const REFUSALS: ReadonlySet<FailureCode> = new Set([
  'model/rejected',
  'model/unprocessable',
  'model/unsupported-parameter',
]);

/** Words by which endpoints complain of a `response_format` that they do not take. */
const COMPLAINT = /response_?\s?format|json_?\s?schema|structured[_ ]outputs?|guided|grammar|schema/i;

/** Whether a request was refused because of the schema that its answer was to be held to. */
export function isShapeRefusal({ code, data }: DataDesignerError): boolean {
  if (!REFUSALS.has(code)) return false;
  const { reason } = fieldsOf(data);
  return typeof reason === 'string' && COMPLAINT.test(reason);
}
