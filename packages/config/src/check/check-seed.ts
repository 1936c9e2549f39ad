import type { ArrowField, Finding } from '@data-designer/core';
import type { ColumnRegistry } from '../column-registry.ts';
import type { SeedCheckOptions } from '../seed/seed-kind.ts';
import type { SeedSource } from '../seed/seed-kinds.ts';
import { RESERVED_KEY } from '../spelling.ts';
import { addAt, type Check, reservedName } from './check.ts';

/** The inspected rows of a seed; a finding's field is a path within `seed_config`. */
export interface SeedRows {
  /** Names of their columns; undefined if unknown before a run. */
  readonly columns: readonly string[] | undefined;
  /** The columns with their types; absent if unknown before a run. */
  readonly fields?: readonly ArrowField[] | undefined;
  readonly findings: readonly Finding[];
}

/** Checks the source of the seed, and reports the findings about its rows. */
export function checkSeed(
  check: Check,
  { seedRows, permissions }: { seedRows: SeedRows | undefined; permissions: SeedCheckOptions },
): void {
  const { seedConfig } = check.config;
  if (!seedConfig) return;
  if (seedRows?.columns?.includes(RESERVED_KEY)) addAt(check, ['seedConfig', 'source'], reservedName('seed column'));
  for (const { field, ...told } of [
    ...checkSeedSource(seedConfig.source, check.registry, permissions),
    ...(seedRows?.findings ?? []),
  ]) {
    addAt(check, ['seedConfig', ...field], told);
  }
}

/** Faults of a seed source that show without reading a row, such as a missing file; paths are within `seed_config`. */
export function checkSeedSource(
  source: SeedSource,
  registry: ColumnRegistry,
  options: SeedCheckOptions,
): readonly Finding[] {
  const kind = registry.seedKindOf(source);
  if (options.localFiles || options.isStageInput || !kind.readsFiles) return kind.check?.(source, options) ?? [];
  return [{ ...LOCAL_FILE_REFUSED, field: 'path' in source && source.path !== null ? ['source', 'path'] : ['source'] }];
}

/** The error of a config from an address that names files of this machine. */
export const LOCAL_FILE_REFUSED = {
  stage: 'run',
  type: 'local_file_refused',
  level: 'ERROR',
  message: 'a config loaded from an address may not read files on this machine.',
  remedy: 'Save the config as a file first, or pass --allow-local if you trust it.',
} as const satisfies Omit<Finding, 'field'>;
