import { columnTypes } from '@data-designer/columns';
import { checkDataset, ColumnRegistry, parseDataset, parseDocument } from '@data-designer/config';
import type { Violation } from '@data-designer/core';
import type { FuzzCase } from './fuzz-target.ts';

const registry = new ColumnRegistry(columnTypes);

/** Everything that is wrong with a config, read as a file of this text would be; throws what reading it throws. */
export function checkText({ text, json }: Pick<FuzzCase, 'text' | 'json'>): readonly Violation[] {
  const document = parseDocument(text, { path: 'the case', json });
  return checkDataset(parseDataset(document, registry), { registry });
}
