import type { ArrowField } from '@data-designer/core';
import type { ColumnInfo } from '../../api/columns.ts';

interface KnownValues {
  readonly fields: readonly ArrowField[];
  /** The scores of judges, which a condition may name as the table does. */
  readonly scores: readonly ColumnInfo[];
}

/** What to write for a member of a column that a condition names without its column; undefined for other mistakes. */
export function missingColumn(reason: string, { fields, scores }: KnownValues): string | undefined {
  const [, name] = /Referenced column "(.+?)" not found/.exec(reason) ?? [];
  if (name === undefined) return undefined;
  const isNamed = (one: string | undefined): boolean => one?.toLowerCase() === name.toLowerCase();
  const ofScores = scores.filter(({ member }) => member?.path.some(isNamed));
  const scored = new Set(ofScores.map(({ member }) => member?.column));
  const others = fields.filter((field) => !scored.has(field.name)).flatMap((field) => membersOf(field));
  const found = [
    ...ofScores.map((score) => score.name),
    ...others.filter((path) => isNamed(path.at(-1))).map((path) => path.map(sqlName).join('.')),
  ];
  if (found.length === 0) return undefined;
  return `there is no column ${name}. Name the member with its column: ${found.join(' or ')}.`;
}

/** The paths of the members of a struct, and of the structs in it. */
function membersOf({ name, type }: ArrowField): readonly (readonly string[])[] {
  if (typeof type === 'string' || !('struct' in type)) return [];
  return type.struct.flatMap((member) => [[name, member.name], ...membersOf(member).map((path) => [name, ...path])]);
}

function sqlName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
