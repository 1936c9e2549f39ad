import type { FieldPath, Finding } from '@data-designer/core';

/** The text of a finding; its type is `invalid_params` by default. */
interface Found {
  readonly message: string;
  readonly remedy: string;
  readonly type?: string;
}

/** A finding of stage `run`: the parameters load but cannot be drawn from. */
export function atRun(field: FieldPath, { message, remedy, type = 'invalid_params' }: Found): Finding {
  return { stage: 'run', type, level: 'ERROR', field, message, remedy };
}
