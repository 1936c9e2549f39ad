import { type Address, openRowsFor, type Plan, type RowGroup } from '@data-designer/core';
import { needsGateway } from '../needs-gateway.ts';

/** The rows that are open together at the end of a run, and how their calls wait for each other; plain data. */
export interface LastRows {
  /** The first of them. */
  readonly from: number;
  /** By column: by so many rows its calls step back. */
  readonly later: Readonly<Record<string, number>>;
}

/**
 * The last rows of the groups that a run makes. Row after row, places would be left over while the last row's cells wait
 * for each other; the calls that most others wait for go first there, and all places are in use until little is left.
 */
export function lastRowsOf(plan: Pick<Plan, 'columns' | 'resources'>, groups: readonly RowGroup[]): LastRows {
  let left = mostOpenRows(plan);
  let [from, to] = [0, 0];
  for (const { firstRow, rows } of groups.toReversed()) {
    to ||= firstRow + rows;
    from = firstRow + Math.max(0, rows - left);
    left -= rows;
    if (left <= 0) break;
  }
  const chains = chainsOf(plan.columns);
  const longest = Math.max(0, ...chains.values());
  const later = [...chains].map(([column, chain]) => [column, (longest - chain) * (to - from)]);
  return { from, later: Object.fromEntries(later) as LastRows['later'] };
}

/** Where a call stands among those that wait for a place: the lowest goes first. */
export function priorityOf({ row, column }: Pick<Address, 'row' | 'column'>, last: LastRows | undefined): number {
  return last && row >= last.from ? row + (last.later[column] ?? 0) : row;
}

/** By column, the most cells, its own included, that ask the outside one after the other until the row is made. */
function chainsOf(columns: Plan['columns']): ReadonlyMap<string, number> {
  const chains = new Map<string, number>();
  const behind = new Map<string, number>();
  for (const { name, needs, requires } of columns.toReversed()) {
    const chain = (behind.get(name) ?? 0) + (needsGateway(requires) ? 1 : 0);
    chains.set(name, chain);
    for (const need of needs) behind.set(need, Math.max(behind.get(need) ?? 0, chain));
  }
  return chains;
}

/** How many rows of a plan may be open at most, if every endpoint stands what it is allowed; 0 where nothing is asked. */
export function mostOpenRows({ resources }: Pick<Plan, 'resources'>): number {
  return openRowsFor(resources.reduce((sum, { limit }) => sum + limit, 0));
}
