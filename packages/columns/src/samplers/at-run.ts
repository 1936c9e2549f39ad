import type { FieldPath, Finding } from '@data-designer/core';

/** What is found at a field; without a type it is a parameter that cannot be drawn with. */
interface Found {
  readonly message: string;
  readonly remedy: string;
  readonly type?: string;
}

/** A mistake that loads, and would only come out when values are drawn. */
export function atRun(field: FieldPath, { message, remedy, type = 'invalid_params' }: Found): Finding {
  return { stage: 'run', type, level: 'ERROR', field, message, remedy };
}
