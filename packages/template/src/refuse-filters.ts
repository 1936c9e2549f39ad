import { DataDesignerError, type TemplateEngine } from '@data-designer/core';
import { SECURE_FILTERS } from './filters/filters.ts';
import type { ParsedTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { childrenOf } from './syntax/tree-walk.ts';
import type { Node } from './syntax/tree.ts';

/** Throws `template/unsupported-filter` for a filter that an engine lacks, also on a branch that may never be taken. */
export function refuseFilters({ tree }: Pick<ParsedTemplate, 'tree'>, mode: TemplateEngine): void {
  const known = mode === 'secure' ? SECURE_FILTERS : FILTER_NAMES;
  const filter = filtersIn(tree).find((name) => !known.has(name));
  if (filter !== undefined) throw new DataDesignerError('template/unsupported-filter', { filter, known: [...known] });
}

function filtersIn(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap((node) => [...(node.kind === 'filter' ? [node.name] : []), ...filtersIn(childrenOf(node))]);
}
