import type { ColumnGraph } from '../../../api/config.ts';

type Node = ColumnGraph['nodes'][number];

/** A column with its place in the drawing. */
export interface PlacedNode {
  readonly node: Node;
  readonly x: number;
  readonly y: number;
}

/** The size of a box, and the space around it. */
export const BOX = { width: 170, height: 44, gapX: 70, gapY: 16 } as const;

/** A drawing of a graph: columns by level from left to right, each near the columns that it reads. */
export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly { readonly from: PlacedNode; readonly to: PlacedNode; readonly isSkip: boolean }[];
  readonly width: number;
  readonly height: number;
}

/** Places the columns of a graph. */
export function layoutGraph({ nodes, edges }: ColumnGraph): GraphLayout {
  const levels = new Map<number, Node[]>();
  for (const node of nodes) levels.set(node.level, [...(levels.get(node.level) ?? []), node]);
  const placed = new Map<string, PlacedNode>();
  const rank = new Map<string, number>();
  for (const level of [...levels.keys()].toSorted((a, b) => a - b)) {
    const ordered = sortedByReads(levels.get(level) ?? [], edges, rank);
    for (const [at, node] of ordered.entries()) {
      rank.set(node.name, at);
      const [x, y] = [level * (BOX.width + BOX.gapX), at * (BOX.height + BOX.gapY)];
      placed.set(node.name, { node, x, y });
    }
  }
  const all = [...placed.values()];
  return {
    nodes: all,
    edges: edges.flatMap(({ from, to, isSkip }) => {
      const [source, target] = [placed.get(from), placed.get(to)];
      return source === undefined || target === undefined ? [] : [{ from: source, to: target, isSkip }];
    }),
    width: Math.max(...all.map(({ x }) => x), 0) + BOX.width,
    height: Math.max(...all.map(({ y }) => y), 0) + BOX.height,
  };
}

/** Columns near the middle of those that they read cross fewer lines. */
function sortedByReads(
  nodes: readonly Node[],
  edges: ColumnGraph['edges'],
  rank: ReadonlyMap<string, number>,
): readonly Node[] {
  const middle = new Map(
    nodes.map(({ name }, at) => {
      const read = edges.flatMap(({ from, to }) => (to === name ? (rank.get(from) ?? []) : []));
      return [name, read.length === 0 ? at : read.reduce((sum, one) => sum + one, 0) / read.length];
    }),
  );
  return nodes.toSorted((a, b) => (middle.get(a.name) ?? 0) - (middle.get(b.name) ?? 0));
}
