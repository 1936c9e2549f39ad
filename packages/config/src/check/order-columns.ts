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
  const ready = new LowestFirst();
  waiting.forEach((count, position) => count === 0 && ready.push(position));
  const order: Column[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const column = all[next];
    if (column) order.push(column);
    for (const dependent of dependents[next] ?? []) {
      const left = (waiting[dependent] ?? 0) - 1;
      waiting[dependent] = left;
      if (left === 0) ready.push(dependent);
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

/** Numbers, the lowest first: a binary heap. */
class LowestFirst {
  readonly #heap: number[] = [];

  push(value: number): void {
    const heap = this.#heap;
    let at = heap.push(value) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && (heap[parent] ?? 0) > value; parent = (at - 1) >> 1) {
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = value;
  }

  pop(): number | undefined {
    const heap = this.#heap;
    const lowest = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return lowest;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if ((heap[child + 1] ?? Infinity) < (heap[child] ?? 0)) child++;
      if ((heap[child] ?? 0) >= last) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = last;
    return lowest;
  }
}
