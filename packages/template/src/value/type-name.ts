import { Float } from '@data-designer/core';
import { Thing, type Value } from './value.ts';

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'float';
    default:
      if (value === null) return 'NoneType';
      if (value instanceof Float) return 'float';
      if (value instanceof Thing) return value.typeName;
      return Array.isArray(value) ? 'list' : 'dict';
  }
}
