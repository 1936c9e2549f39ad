import type { ParsedDataset } from '@data-designer/config';
import type { Violation } from '@data-designer/core';
import { checkCompared } from '@data-designer/engine';

/** The mistakes in files and datasets that the selection of a declaration compares rows with. */
export async function inspectCompared({
  config: { select },
  pathOf,
}: Pick<ParsedDataset, 'config' | 'pathOf'>): Promise<readonly Violation[]> {
  if (!select) return [];
  return (await checkCompared(select)).map(({ path, failure: { code: type, message } }) => {
    return { stage: 'run', level: 'ERROR', type, path: pathOf(...path), message, remedy: '' };
  });
}
