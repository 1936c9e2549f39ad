import { DataDesignerError, type Finding } from '@data-designer/core';
import type { RegisteredSeed } from '../define-seed.ts';
import type { SeedSource } from '../schemas/seed-config.ts';

/** Whether a config may use a seed of a plug-in: not one that came from an address, for nobody knows what it reads. */
export function checkPluginSeed(
  { type }: RegisteredSeed,
  { localFiles }: { readonly localFiles: boolean },
): readonly Finding[] {
  if (localFiles) return [];
  const refused: Finding = {
    stage: 'run',
    type: 'local_file_refused',
    level: 'ERROR',
    field: ['source'],
    message: `a config that comes from an address may not use '${type}', a seed of a plug-in, which may read anything.`,
    remedy: 'Save it to a file first, or allow it with --allow-local if you trust it.',
  };
  return [refused];
}

/** The columns of a plug-in's seed as far as it tells them unread; throws `seed/unreadable` where it cannot. */
export function pluginSeedColumns(
  { type, columns }: RegisteredSeed,
  source: SeedSource,
): readonly string[] | undefined {
  try {
    return columns?.(source as never);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new DataDesignerError('seed/unreadable', { source: `the seed type '${type}'`, reason }, { cause: thrown });
  }
}
