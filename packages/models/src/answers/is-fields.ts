import type { Fields } from '../model-protocol.ts';

/** Whether a parsed value is an object whose members can be looked at. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
