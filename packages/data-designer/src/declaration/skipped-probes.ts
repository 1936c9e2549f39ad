import type { DatasetConfig } from '@data-designer/config';

/** The environment variable that switches off all probes of models where it is `1` (as in NeMo Data Designer). */
const SWITCH = 'DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS';

type ProbedConfig = Pick<DatasetConfig['modelConfigs'][number], 'alias' | 'skipHealthCheck'>;

/** The model aliases that are not probed, each with the reason in words. */
export function skippedProbes(
  { modelConfigs }: { readonly modelConfigs: readonly ProbedConfig[] },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ReadonlyMap<string, string> {
  const all = environment[SWITCH] === '1';
  // Of two configs with one alias the later counts.
  const last = new Map(modelConfigs.map((config) => [config.alias, config.skipHealthCheck]));
  const skipped = [...last].filter(([, skip]) => all || skip);
  return new Map(skipped.map(([alias]) => [alias, all ? `${SWITCH} is 1` : 'its config says skip_health_check']));
}
