import { Float } from '@data-designer/core';

/** Whether a value can be stored as a struct: an object that is neither list nor number. */
export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** Reads one member of a struct; a name such as `constructor` is not mistaken for what every object inherits. */
export function memberOf(name: string): (record: object) => unknown {
  if (!(name in Object.prototype)) return (record) => (record as Record<string, unknown>)[name];
  return (record) => (Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined);
}
