import type { SeedSource } from '../schemas/seed-config.ts';
import { fixedSeedColumns } from './fixed-seed-columns.ts';
import { memoryColumns } from './memory-rows.ts';

/** The columns of a source's rows as far as the source alone tells; undefined where rows would have to be read. */
export function seedColumnNames(source: SeedSource): readonly string[] | undefined {
  if (source.seedType === 'local' || source.seedType === 'hf') return undefined;
  return source.seedType === 'df' ? memoryColumns(source.rows) : fixedSeedColumns(source).map(({ name }) => name);
}
