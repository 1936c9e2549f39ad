import { unsupportedFilter } from './compile/unsupported-filter.ts';
import { FILTER_NAMES, GLOBAL_NAMES } from './syntax/builtin-names.ts';
import { referencedNames } from './syntax/references.ts';
import type { Medium } from './syntax/lexer.ts';
import { StatementParser } from './syntax/statement-parser.ts';
import type { Node, Statement } from './syntax/tree.ts';
import { childrenOf, complexityOf } from './syntax/tree-walk.ts';
import { limitFault } from './fault.ts';

/** A parsed template with its references. */
export interface ParsedTemplate {
  /** The names it reads from its record, sorted, without global functions. */
  readonly references: readonly string[];
  /** Names such as `range`: a column of that name, else the global function. */
  readonly globals: readonly string[];
  readonly tree: readonly Statement[];
  /** Characters before the source on its first line in the positions of the tree; none if absent. */
  readonly shift?: number;
}

/** The deepest tree in either mode. */
const MAX_DEPTH = 600;

/**
 * Parses a template and lists its references. Throws `template/syntax` with line and column, and
 * `template/unsupported-filter` for a filter that Jinja2 does not have. In the medium `json`, strings and white space of
 * expressions may be escaped as in JSON.
 */
export function parseTemplate(source: string, medium: Medium = 'text'): ParsedTemplate {
  const tree = new StatementParser(source, medium).parseTemplate();
  if (complexityOf(tree).depth > MAX_DEPTH) limitFault('levels of the syntax tree', MAX_DEPTH);
  refuseUnknownFilters(tree);
  const names = referencedNames(tree);
  return {
    references: names.filter((name) => !isGlobal(name)).toSorted(),
    globals: names.filter(isGlobal).toSorted(),
    tree,
  };
}

function isGlobal(name: string): boolean {
  return GLOBAL_NAMES.some((global) => global === name);
}

/** The kinds with a scope of their own: Jinja2 does not treat their nodes as part of a branch. */
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
 * Throws `template/unsupported-filter` for a filter that Jinja2 does not have. As in Jinja2, a filter on a branch fails
 * only when the branch is taken.
 */
function refuseUnknownFilters(nodes: readonly Node[], onBranch = false): void {
  for (const node of nodes) {
    if (node.kind === 'filter' && !onBranch && !FILTER_NAMES.has(node.name)) {
      throw unsupportedFilter(node.name, FILTER_NAMES);
    }
    const branches = node.kind === 'if' || node.kind === 'conditional';
    refuseUnknownFilters(childrenOf(node), branches || (onBranch && !SCOPES.has(node.kind)));
  }
}
