import type { ColumnCalls } from '../row-group/cell-calls.ts';

/** The counts of row groups together. */
export function joinCalls(one: ColumnCalls | undefined, other: ColumnCalls): ColumnCalls {
  if (!one) return other;
  return {
    ended: added(one.ended, other.ended),
    begun: added(one.begun, other.begun),
    tools: one.tools + other.tools,
  };
}

function added(one: readonly number[], other: readonly number[]): readonly number[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => (one[at] ?? 0) + (other[at] ?? 0));
}
