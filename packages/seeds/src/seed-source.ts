import type { SeedConfig } from '@data-designer/config';
import { SEED_TABLE } from '@data-designer/core';
import type { TableSource } from './tables/table-source.ts';
import type { SeedInspection } from './seed-inspection.ts';

/** The table of the seed rows, as a run makes it; undefined where the rows cannot be had. */
export function seedSource(
  { samplingStrategy, selectionStrategy }: SeedConfig,
  { columns, source }: SeedInspection,
): TableSource | undefined {
  if (!columns || !source) return undefined;
  return {
    id: SEED_TABLE,
    fields: columns,
    rows: source,
    order: samplingStrategy,
    selection: selectionStrategy,
    filters: [],
  };
}
