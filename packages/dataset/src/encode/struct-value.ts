import { type Fields, Float, isFields } from '@data-designer/core';

/** Whether a value can be stored as a struct: an object that is neither a list nor a `Float`. */
export function isStructValue(value: unknown): value is Fields {
  return isFields(value) && !(value instanceof Float);
}

/** A function that reads one member of a struct and ignores members that every object inherits, such as `constructor`. */
export function memberOf(name: string): (struct: Fields) => unknown {
  if (!(name in Object.prototype)) return (struct) => struct[name];
  return (struct) => (Object.hasOwn(struct, name) ? struct[name] : undefined);
}
