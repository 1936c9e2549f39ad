import { DataDesignerError } from '@data-designer/core';
import { complexityOf } from './syntax/complexity.ts';
import { GLOBAL_NAMES } from './syntax/builtin-names.ts';
import { parse } from './syntax/parse.ts';
import { referencedNames } from './syntax/references.ts';
import { refuseUnknownFilters } from './syntax/unknown-filters.ts';
import type { Statement } from './syntax/tree.ts';

/** A template that has been read: the columns it refers to. */
export interface ParsedTemplate {
  /** The root names it asks of its record, sorted, without those of the template language itself. */
  readonly references: readonly string[];
  /** Names such as `range` that mean the column where there is one of that name, else the global. */
  readonly globals: readonly string[];
  readonly tree: readonly Statement[];
}

/** However templates are rendered, a tree may not be deeper than this. */
const MAX_DEPTH = 600;

/**
 * Reads a template and lists its references. Throws `template/syntax` with line and column, and
 * `template/unsupported-filter` for a filter that Jinja2 does not have either. In JSON text, the strings and blanks of
 * expressions may be escaped as JSON escapes them.
 */
export function parseTemplate(source: string, medium: 'text' | 'json' = 'text'): ParsedTemplate {
  const tree = parse(source, medium);
  if (complexityOf(tree).depth > MAX_DEPTH) {
    throw new DataDesignerError('template/limit', { what: 'levels of its tree', limit: MAX_DEPTH });
  }
  refuseUnknownFilters(tree);
  const asked = referencedNames(tree);
  return {
    references: asked.filter((name) => !isGlobal(name)).toSorted(),
    globals: asked.filter(isGlobal).toSorted(),
    tree,
  };
}

function isGlobal(name: string): boolean {
  return (GLOBAL_NAMES as readonly string[]).includes(name);
}
