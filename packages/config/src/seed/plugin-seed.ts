import { DataDesignerError, type Finding, messageOf } from '@data-designer/core';
import type { RegisteredSeed } from '../define-seed.ts';
import type { SeedKind } from './seed-kind.ts';
import type { SeedSource } from './seed-kinds.ts';

/** What config knows of a plug-in's seed type. A config from an address may not use it: it may read any file. */
export function pluginKind(type: RegisteredSeed): SeedKind<SeedSource> {
  return {
    schema: type.schema,
    columns: (source) => pluginSeedColumns(type, source),
    check: (_, { localFiles }) => (localFiles ? [] : [refused(type.type)]),
  };
}

function refused(type: string): Finding {
  return {
    stage: 'run',
    type: 'local_file_refused',
    level: 'ERROR',
    field: ['source'],
    message: `a config loaded from an address may not use '${type}', because the seed of a plug-in may read any file.`,
    remedy: 'Save the config as a file first, or pass --allow-local if you trust it.',
  };
}

/** The columns that a plug-in's seed type tells without reading rows; throws `seed/unreadable` if that fails. */
export function pluginSeedColumns(
  { type, columns }: RegisteredSeed,
  source: SeedSource,
): readonly string[] | undefined {
  try {
    return columns?.(source as never);
  } catch (thrown) {
    const reason = messageOf(thrown);
    throw new DataDesignerError('seed/unreadable', { source: `the seed type '${type}'`, reason }, { cause: thrown });
  }
}
