import { MinHeap } from '@data-designer/core/min-heap';

/** A column with the columns that it needs. */
export interface ColumnNeeds {
  readonly name: string;
  /** Columns that must be made before it. */
  readonly needs: readonly string[];
}

/** Sorts columns topologically in linear time, ties by declaration; or returns the names along a circle. */
export function orderColumns<Column extends ColumnNeeds>(
  columns: readonly Column[],
): { readonly order: readonly Column[] } | { readonly circle: readonly string[] } {
  const all = [...new Map(columns.map((column) => [column.name, column])).values()];
  const positions = new Map(all.map(({ name }, position) => [name, position]));
  const dependents: number[][] = all.map(() => []);
  const waiting = all.map(({ needs }, position) => {
    const known = [...new Set(needs)].flatMap((name) => positions.get(name) ?? []);
    for (const need of known) dependents[need]?.push(position);
    return known.length;
  });
  const ready = new MinHeap<number>();
  waiting.forEach((count, position) => count === 0 && ready.push(position, position));
  const order: Column[] = [];
  for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
    const column = all[next];
    if (column) order.push(column);
    for (const dependent of dependents[next] ?? []) {
      const left = (waiting[dependent] ?? 0) - 1;
      waiting[dependent] = left;
      if (left === 0) ready.push(dependent, dependent);
    }
  }
  if (order.length === all.length) return { order };
  return { circle: circleIn(new Map(all.filter((_, at) => waiting[at] !== 0).map((column) => [column.name, column]))) };
}

/** Follows the needs of a column until a name repeats. */
function circleIn(left: ReadonlyMap<string, ColumnNeeds>): string[] {
  const path = new Set<string>();
  let [name = ''] = left.keys();
  while (!path.has(name)) {
    path.add(name);
    name = left.get(name)?.needs.find((need) => left.has(need)) ?? '';
  }
  const names = [...path];
  return [...names.slice(names.indexOf(name)), name];
}
