import { type ArrowField, type ArrowType, cellField } from '@data-designer/core';

/** Fields under names that differ for DuckDB, which ignores case; readers match fields and members by position. */
export function storedFields(fields: readonly ArrowField[]): ArrowField[] {
  const taken = new Set<string>();
  return fields.map((given) => {
    const field = cellField(given);
    return { ...field, name: freeName(safe(field.name), taken), type: storedType(field.type) };
  });
}

function storedType(type: ArrowType): ArrowType {
  if (typeof type === 'string' || 'logical' in type) return type;
  if ('list' in type) return { list: storedType(type.list) };
  // The Parquet reader joins the names of nested members by dots.
  return { struct: storedFields(type.struct.map((member) => ({ ...member, name: member.name.replaceAll('.', '_') }))) };
}

/** A well-formed name that is not empty and that no object inherits. */
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
