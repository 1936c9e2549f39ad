import { isMapping } from '@data-designer/config';
import type { Random } from '@data-designer/core';

/** Steps from the whole of a tree down to a part of it. */
export type TreePath = readonly (string | number)[];

/** A node below the whole of a tree, and what stands there. */
export interface TreeNode {
  readonly path: TreePath;
  readonly part: unknown;
}

/** Every node below the whole of a tree; a tree of no parts has none. */
export function nodesIn(tree: unknown, above: TreePath = []): TreeNode[] {
  return partsOf(tree).flatMap(([step, part]) => {
    const path = [...above, step];
    return [{ path, part }, ...nodesIn(part, path)];
  });
}

/** Lists and mappings by their members; scalars have none. */
function partsOf(tree: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(tree)) return tree.map((part: unknown, index) => [index, part] as const);
  return isMapping(tree) ? Object.entries(tree) : [];
}

/** Whether a tree has at most so many characters and members; no more of it is looked at. */
export function isSmall(tree: unknown, most: number): boolean {
  return roomLeft(tree, most) >= 0;
}

function roomLeft(tree: unknown, room: number): number {
  let left = room - (typeof tree === 'string' ? tree.length : 1);
  for (const [step, part] of partsOf(tree)) {
    if (left < 0) break;
    left = roomLeft(part, left - String(step).length);
  }
  return left;
}

/** Members instead of one member: none to remove it, two to double it. */
export type Members = readonly (readonly [string | number, unknown])[];

/** A tree in which other members replace one; in a list their names do not matter. */
export function replaceAt(
  tree: unknown,
  path: TreePath,
  replace: (name: string | number, part: unknown) => Members,
): unknown {
  const [step, ...rest] = path;
  const members = partsOf(tree).flatMap(([name, part]): Members => {
    if (name !== step) return [[name, part]];
    return rest.length === 0 ? replace(name, part) : [[name, replaceAt(part, rest, replace)]];
  });
  if (Array.isArray(tree)) return members.map(([, part]) => part);
  // `fromEntries` makes an own property of `__proto__`, too.
  return isMapping(tree) ? Object.fromEntries(members) : tree;
}

/** One node below the whole of a tree that fits, if one does. */
export function nodeIn(
  tree: unknown,
  random: Random,
  fits: (node: TreeNode) => boolean = () => true,
): TreeNode | undefined {
  const nodes = nodesIn(tree).filter(fits);
  return nodes[random.below(nodes.length)];
}
