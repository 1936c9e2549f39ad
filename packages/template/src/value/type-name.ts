import { Float } from '@data-designer/core';
import { TemplateObject, type Value } from './value.ts';

/** Python's name of a value's type, for messages. */
export function typeName(value: Value): string {
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int' : 'float';
  if (value === null) return 'NoneType';
  if (value instanceof Float) return 'float';
  if (value instanceof TemplateObject) return value.typeName;
  return Array.isArray(value) ? 'list' : 'dict';
}
