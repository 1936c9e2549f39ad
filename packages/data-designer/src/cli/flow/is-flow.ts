import { isMapping } from '@data-designer/config';
import type { Declaration } from '../../declaration/declaration.ts';

/** Whether a document declares a workflow: it has a list of stages and no columns. */
export function isFlow({ document }: Pick<Declaration, 'document'>): boolean {
  return isMapping(document) && Array.isArray(document['stages']) && document['columns'] === undefined;
}
