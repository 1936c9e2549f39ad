import type { Reference } from '@data-designer/core';
import { compileTemplate, parseTemplate } from '@data-designer/template';

/** The columns that a template in a field of a declaration names. A template that could not be rendered is refused here. */
export function templateReferences(source: string, field: string): Reference[] {
  compileTemplate(source);
  const { references, globals } = parseTemplate(source);
  return [...references.map((name) => ({ name, field })), ...globals.map((name) => ({ name, field, optional: true }))];
}
