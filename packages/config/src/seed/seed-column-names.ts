import type { SeedSource } from '../schemas/seed-config.ts';
import { fixedSeedColumns } from './fixed-seed-columns.ts';

/** The columns of a source's rows as far as the source alone tells; undefined where a file would have to be read. */
export function seedColumnNames(source: SeedSource): readonly string[] | undefined {
  if (source.seedType === 'local' || source.seedType === 'hf') return undefined;
  if (source.seedType !== 'df') return fixedSeedColumns(source).map(({ name }) => name);
  const names = new Set<string>();
  for (const row of source.rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}
