import type { Finding } from '@data-designer/core';
import { checkSeedSource, type SeedCheckOptions } from '../seed/check-seed-source.ts';
import { checkPluginSeed } from '../seed/plugin-seed.ts';
import { addAt, type Check } from './check.ts';

/** What is known of seed rows that were looked at; a finding's field is a path within `seed_config`. */
export interface SeedRows {
  /** Names of their columns; undefined where they cannot be known before a run. */
  readonly columns: readonly string[] | undefined;
  readonly findings: readonly Finding[];
}

/** What a seed names must be there and be allowed, and its rows must be what is asked of them. */
export function checkSeed(
  check: Check,
  { seedRows, permissions }: { seedRows: SeedRows | undefined; permissions: SeedCheckOptions },
): void {
  const { seedConfig } = check.config;
  if (!seedConfig) return;
  const own = check.registry.seedOf(seedConfig.source);
  for (const { field, ...told } of [
    ...(own ? checkPluginSeed(own, permissions) : checkSeedSource(seedConfig.source, permissions)),
    ...(seedRows?.findings ?? []),
  ]) {
    addAt(check, ['seedConfig', ...field], told);
  }
}
