import type { PricedUsage } from '@data-designer/models';

/** The inputs of a forecast. */
export interface ForecastParts {
  /** The cost of all answers; null where one has no price. */
  readonly soFar: number | null;
  readonly usage: Readonly<Record<string, PricedUsage>>;
  /** Finished and failed cells by column. */
  readonly cells: ReadonlyMap<string, number>;
  readonly rows: { readonly wanted: number; /** Made or lost. */ readonly settled: number };
}

/**
 * The expected cost of the whole dataset, if remaining cells cost as much as the finished cells of their column. Counted by
 * column, since unfinished rows have paid for their first columns only. Null while a paid column has no finished cell.
 */
export function costForecast({ soFar, usage, cells, rows }: ForecastParts): number | null {
  if (soFar === null || rows.settled + Math.max(0, ...cells.values()) === 0) return null;
  let cost = soFar;
  for (const [column, spent] of costByColumn(usage)) {
    const done = cells.get(column);
    if (done === undefined || spent === 0) continue;
    const left = Math.max(0, rows.wanted - Math.max(rows.settled, done));
    if (left === 0) continue;
    if (done === 0) return null;
    cost += (spent / done) * left;
  }
  return cost;
}

/** The cost of all answers of each column. */
export function costByColumn(usage: ForecastParts['usage']): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { columns } of Object.values(usage)) {
    for (const [column, attempts] of Object.entries(columns)) {
      for (const { cost } of Object.values(attempts)) costs.set(column, (costs.get(column) ?? 0) + (cost ?? 0));
    }
  }
  return costs;
}
