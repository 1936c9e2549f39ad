import type { ColumnConfig } from '@data-designer/core';
import {
  type ColumnFacts,
  type ColumnRegistry,
  type DatasetConfig,
  factsOf,
  readForm,
  ROW_ID,
} from '@data-designer/config';

/**
 * The row id column that a dataset without sampled and seed columns has where a column reads it (as in NeMo Data
 * Designer); it is never written.
 */
export function rowIdFacts(
  facts: readonly ColumnFacts[],
  { processors }: DatasetConfig,
  registry: ColumnRegistry,
): readonly ColumnFacts[] {
  const isSourced = facts.some(({ column, type }) => 'fill' in type || type.ofSeed || column.name === ROW_ID);
  const sampler = registry.get('sampler');
  if (isSourced || !sampler) return [];
  const named = [
    ...facts.flatMap(({ references, skipReferences }) => [...references, ...skipReferences].map(({ name }) => name)),
    ...processors.flatMap((one) => registry.processorOf(one).sideTable?.reads(one as never) ?? []),
  ];
  if (!named.includes(ROW_ID)) return [];
  const declared = { name: ROW_ID, column_type: 'sampler', sampler_type: 'uuid', params: {}, drop: true };
  const column = sampler.schema.parse(readForm(sampler.schema, declared)) as unknown as ColumnConfig;
  return [factsOf(column, registry)];
}
