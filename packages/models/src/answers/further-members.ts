import type { Fields } from '@data-designer/core';

/**
 * The members of the parts of an answer, such as blocks or calls, that no field of a trace stores, with the position and type of
 * their part; none without any. `stored` are the names of those that a field stores. Null says nothing.
 */
export function furtherMembers(parts: readonly Fields[], stored: ReadonlySet<string>): readonly Fields[] {
  return parts.flatMap((part, at) => {
    const members = Object.entries(part).filter(([name, value]) => value !== null && !stored.has(name));
    if (members.length === 0) return [];
    return [{ at, ...(part.type === undefined ? {} : { type: part.type }), ...Object.fromEntries(members) }];
  });
}
