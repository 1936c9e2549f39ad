import type { FieldPath, Finding } from '@data-designer/core';

/** The text of a finding; an error of type `invalid_params` by default. */
export interface FindingText {
  readonly message: string;
  readonly remedy: string;
  readonly type?: string;
  readonly level?: Finding['level'];
}

/** A finding of stage `run`: the declaration loads but cannot be run. */
export function runFinding(
  field: FieldPath,
  { message, remedy, type = 'invalid_params', level = 'ERROR' }: FindingText,
): Finding {
  return { stage: 'run', type, level, field, message, remedy };
}
