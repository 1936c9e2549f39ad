import { DataDesignerError } from '@data-designer/core';
import { childrenOf } from './tree-walk.ts';
import { FILTER_NAMES } from './builtin-names.ts';
import type { Node, Statement } from './tree.ts';

/** What opens a scope of its own: in it, Jinja2 forgets that it is on a branch. */
const SCOPES: ReadonlySet<Node['kind']> = new Set([
  'for',
  'with',
  'set-block',
  'filter-block',
  'scope',
  'macro',
  'call-block',
  'block',
]);

/**
 * Throws `template/unsupported-filter` for a filter that Jinja2 does not have; on a branch, which may never be taken, it
 * is refused only where it is reached (as Jinja2 does).
 */
export function refuseUnknownFilters(nodes: readonly (Node | Statement)[], onBranch = false): void {
  for (const node of nodes) {
    if (node.kind === 'filter' && !onBranch && !FILTER_NAMES.has(node.name)) {
      throw new DataDesignerError('template/unsupported-filter', { filter: node.name, known: [...FILTER_NAMES] });
    }
    const branches = node.kind === 'if' || node.kind === 'conditional';
    refuseUnknownFilters(childrenOf(node), branches || (onBranch && !SCOPES.has(node.kind)));
  }
}
