import { isDeepStrictEqual } from 'node:util';
import type { ToolSchema } from '@data-designer/core';

/** The differences between the tools that were known and those that a server lists now, as parts of a sentence. */
export function differencesIn(known: readonly ToolSchema[], now: readonly ToolSchema[]): readonly string[] {
  const before = byName(known);
  const after = byName(now);
  const changed = [...before].filter(([name, tool]) => after.has(name) && !isDeepStrictEqual(after.get(name), tool));
  return [
    ...named(
      'gone',
      [...before.keys()].filter((name) => !after.has(name)),
    ),
    ...named(
      'new',
      [...after.keys()].filter((name) => !before.has(name)),
    ),
    ...named(
      'changed',
      changed.map(([name]) => name),
    ),
  ];
}

function byName(schemas: readonly ToolSchema[]): ReadonlyMap<string, ToolSchema['function']> {
  return new Map(schemas.map(({ function: tool }) => [tool.name, tool]));
}

function named(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
}
