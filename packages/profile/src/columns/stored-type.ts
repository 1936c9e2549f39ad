import type { ArrowType } from '@data-designer/core';

const NAMES = { bool: 'bool', int64: 'int64', float64: 'double', utf8: 'string' } as const;
const SIMPLE = { bool: 'bool', int64: 'int', float64: 'float', utf8: 'string' } as const;

/** A stored type in the words of PyArrow: `list<element: struct<a: int64>>`. */
export function storedTypeName(type: ArrowType): string {
  if (typeof type === 'string') return NAMES[type];
  if ('list' in type) return `list<element: ${storedTypeName(type.list)}>`;
  return `struct<${type.struct.map((member) => `${member.name}: ${storedTypeName(member.type)}`).join(', ')}>`;
}

/** The same in plain words: int, float, string, bool, `list[…]`, dict. */
export function dataTypeName(type: ArrowType): string {
  if (typeof type === 'string') return SIMPLE[type];
  return 'list' in type ? `list[${dataTypeName(type.list)}]` : 'dict';
}
