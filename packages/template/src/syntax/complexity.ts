import { childrenOf } from './tree-walk.ts';
import type { Node } from './tree.ts';

/** How large a template's tree is: nodes below the root, and levels with the root as the first. */
export interface Complexity {
  readonly nodes: number;
  readonly depth: number;
}

/** Measures a tree as Jinja2 shapes it, without recursion, so that no tree is too deep to be measured. */
export function complexityOf(statements: readonly Node[]): Complexity {
  let nodes = 0;
  let depth = 1;
  let level: readonly Node[] = statements;
  while (level.length > 0) {
    depth += 1;
    nodes += level.length;
    level = level.flatMap(childrenOf);
  }
  return { nodes, depth };
}
