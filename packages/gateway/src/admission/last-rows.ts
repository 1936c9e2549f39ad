import { type Address, openRowsFor, type Plan, type RowGroup, type Requirements } from '@data-designer/core';

/** The rows that are open together at the end of a run, and the priorities of their calls; plain data. */
export interface LastRows {
  /** The first of them. */
  readonly from: number;
  /** By column, the number of rows by which its calls step back. */
  readonly later: Readonly<Record<string, number>>;
}

/**
 * The last rows of the groups that a run makes. In row order, permits would be idle at the end while the cells of the last
 * row wait for each other. So there the calls with the longest chain of dependent cells go first.
 */
export function lastRowsOf(
  plan: Pick<Plan, 'columns' | 'resources'>,
  groups: readonly RowGroup[],
  { areRead = false }: { readonly areRead?: boolean } = {},
): LastRows {
  // A reader waits for the first rows: no more come last than the narrowest resource takes at once. Tools take many calls at
  // once where models take few: by their limits all rows of a small run would come last, and none would be finished early.
  const models = plan.resources.filter(({ kind }) => kind === 'model');
  const resources = models.length > 0 ? models : plan.resources;
  let left = areRead ? Math.min(...limitsOf(plan)) : mostOpenRows({ resources });
  let [from, to] = [0, 0];
  for (const { firstRow, rows } of groups.toReversed()) {
    to ||= firstRow + rows;
    from = firstRow + Math.max(0, rows - left);
    left -= rows;
    if (left <= 0) break;
  }
  const chains = chainsOf(plan.columns);
  const longest = Math.max(0, ...chains.values());
  const later = [...chains].map(([column, chain]) => [column, (longest - chain) * (to - from)] as const);
  return { from, later: Object.fromEntries(later) };
}

/** The priority of a call in its queue: the lowest number goes first. */
export function priorityOf({ row, column }: Pick<Address, 'row' | 'column'>, last: LastRows | undefined): number {
  return last && row >= last.from ? row + (last.later[column] ?? 0) : row;
}

/** By column, the longest chain of cells that use the gateway one after the other, its own included. */
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

/** The most open rows of a plan, if every endpoint takes its configured limit; 0 without resources. */
export function mostOpenRows({ resources }: Pick<Plan, 'resources'>): number {
  return openRowsFor(limitsOf({ resources }).reduce((sum, limit) => sum + limit, 0));
}

function limitsOf({ resources }: Pick<Plan, 'resources'>): number[] {
  return resources.flatMap(({ kind, limit }) => (kind === 'rows' ? [] : [limit]));
}

/** Whether cells with these requirements use the gateway: they take time, others hardly any. */
export function needsGateway({ models, tools, recordsOutcomes, server }: Requirements): boolean {
  return models.length > 0 || tools.length > 0 || recordsOutcomes === true || server !== undefined;
}
