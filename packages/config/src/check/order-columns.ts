/** A column as far as its order matters. */
export interface Ordered {
  readonly name: string;
  /** Columns that must be made before it. */
  readonly needs: readonly string[];
}

/**
 * Columns in an order in which they can be made: topological, ties by declaration. When some wait for each other, the
 * names along one such circle, in order.
 */
export function orderColumns<Column extends Ordered>(
  columns: readonly Column[],
): { readonly order: readonly Column[] } | { readonly circle: readonly string[] } {
  const left = new Map(columns.map((column) => [column.name, column]));
  const order: Column[] = [];
  while (left.size > 0) {
    const next = [...left.values()].find(({ needs }) => needs.every((name) => !left.has(name)));
    if (!next) return { circle: circleIn(left) };
    left.delete(next.name);
    order.push(next);
  }
  return { order };
}

/** Follows what each column waits for until a name comes again. */
function circleIn(left: ReadonlyMap<string, Ordered>): string[] {
  const path: string[] = [];
  let name = left.keys().next().value as string;
  while (!path.includes(name)) {
    path.push(name);
    name = left.get(name)?.needs.find((need) => left.has(need)) as string;
  }
  return [...path.slice(path.indexOf(name)), name];
}
