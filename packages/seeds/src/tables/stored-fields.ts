import type { ArrowField, ArrowType } from '@data-designer/core';

/**
 * Fields under the names that their columns have in a table's files: those they have anyway, made different where two
 * of them, or a struct's members, differ in case only, which DuckDB takes for one. The order of fields and members is
 * kept, and a reader goes by that.
 */
export function storedFields(fields: readonly ArrowField[]): ArrowField[] {
  const taken = new Set<string>();
  return fields.map((field) => ({ ...field, name: freeName(safe(field.name), taken), type: storedType(field.type) }));
}

function storedType(type: ArrowType): ArrowType {
  if (typeof type === 'string') return type;
  if ('list' in type) return { list: storedType(type.list) };
  // The Parquet reader finds nested members by the names above them, joined by dots.
  return { struct: storedFields(type.struct.map((member) => ({ ...member, name: member.name.replaceAll('.', '_') }))) };
}

/** A name that is text for everybody, not empty, and that no object inherits. */
function safe(name: string): string {
  const text = name.toWellFormed().replaceAll('\0', '');
  if (text === '') return 'column';
  return text in Object.prototype ? `_${text}` : text;
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let copy = 1; taken.has(free.toLowerCase()); copy++) free = `${name}_${copy}`;
  taken.add(free.toLowerCase());
  return free;
}
