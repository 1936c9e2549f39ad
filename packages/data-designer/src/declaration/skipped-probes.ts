import type { DatasetConfig } from '@data-designer/config';

/** The environment variable that, set to `1`, disables all model probes (as in NeMo Data Designer). */
const SWITCH = 'DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS';

type ProbedConfig = Pick<DatasetConfig['modelConfigs'][number], 'alias' | 'skipHealthCheck'>;

/** The model aliases that are not probed, with the reason for each. */
export function skippedProbes(
  { modelConfigs }: { readonly modelConfigs: readonly ProbedConfig[] },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ReadonlyMap<string, string> {
  const all = environment[SWITCH] === '1';
  // The last config of an alias counts.
  const last = new Map(modelConfigs.map((config) => [config.alias, config.skipHealthCheck]));
  const skipped = [...last].filter(([, skip]) => all || skip);
  return new Map(skipped.map(([alias]) => [alias, all ? `${SWITCH} is 1` : 'its config says skip_health_check']));
}
