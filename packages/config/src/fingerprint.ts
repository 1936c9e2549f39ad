import { createHash } from 'node:crypto';
import { type ColumnConfig, compareText, Float } from '@data-designer/core';
import { canonicalJson } from './canonical-json.ts';
import { ROW_ID } from './check/check.ts';
import { factsOf } from './check/column-facts.ts';
import type { ColumnRegistry } from './column-registry.ts';
import { withEnvironments } from './environment-columns.ts';
import type { RegisteredColumn } from './define-column.ts';
import { ONCE, readForm } from './read-form.ts';
import type { DatasetConfig } from './schemas/dataset-config.ts';
import { without, writeDataset, type WrittenDataset } from './write-dataset.ts';

/** The `sha256:` hash without limits and timeouts, equal to the configuration hash (version 2) of NeMo Data Designer. */
export function fingerprintOf(config: DatasetConfig, registry: ColumnRegistry): string {
  return hashOf(significant(writeDataset(config, registry), transportKeys(config, registry)));
}

/**
 * The fingerprint of a declaration with the columns that NeMo Data Designer adds when it compiles it: the seed columns after
 * the declared ones, dropped where a processor drops them, or a row id before them without seed and sampler columns.
 */
export function compiledFingerprint(
  config: DatasetConfig,
  { registry, seedColumns }: { readonly registry: ColumnRegistry; readonly seedColumns: readonly string[] },
): string {
  const seed = registry.types.find(({ ofSeed }) => ofSeed);
  const isDropped = (name: string) =>
    config.processors.some((one) => registry.processorOf(one).drops?.(one, name) === true);
  const seeded = seedColumns.flatMap((name) =>
    seed ? parsedColumn(seed, { name, column_type: seed.type, drop: isDropped(name) }) : [],
  );
  const declared = [...config.columns, ...seeded];
  const isSourced = declared.some(({ columnType }) => columnType === 'sampler' || columnType === seed?.type);
  const columns = isSourced ? declared : [...rowIdColumn(registry), ...declared];
  return fingerprintOf({ ...config, columns }, registry);
}

/** The dropped row id column of a dataset without sampled and seed columns; none without samplers. */
export function rowIdColumn(registry: ColumnRegistry): readonly ColumnConfig[] {
  const sampler = registry.get('sampler');
  if (!sampler) return [];
  const column = { name: ROW_ID, column_type: 'sampler', sampler_type: 'uuid', params: {}, drop: true };
  return [parsedColumn(sampler, column)];
}

/** The column of a declaration that has no mistake. */
function parsedColumn({ schema }: Pick<RegisteredColumn, 'schema'>, declared: unknown): ColumnConfig {
  return schema.parse(readForm(schema, declared), ONCE) as unknown as ColumnConfig;
}

function hashOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}

/** Float digits that stay equal when a declaration is read again, which normalises weights once more. */
const STEADY_DIGITS = 12;

/** The hash that a run's continuation must share: the fingerprint without unused models and tools, floats to 12 digits. */
export function identityOf(config: DatasetConfig, registry: ColumnRegistry): string {
  return hashOf(identifiedParts(writeDataset(config, registry), config, registry));
}

/** The hash of what decides the cells: the identity without the processors that run on finished rows. */
export function cellIdentityOf(config: DatasetConfig, registry: ColumnRegistry): string {
  const processors = config.processors.filter((one) => registry.stageOf(one) === 'pre_batch');
  return identityOf({ ...config, processors }, registry);
}

/** What `identityOf` hashes, in a written form of `config` or of an earlier version of it. */
export function identifiedParts(written: WrittenDataset, config: DatasetConfig, registry: ColumnRegistry): Fields {
  const facts = config.columns.map((column) => factsOf(column, registry));
  const requires = withEnvironments(facts, config).map((one) => one.requires);
  const models = new Set<unknown>(requires.flatMap(({ models: aliases }) => aliases));
  const tools = new Set<unknown>(requires.flatMap(({ tools: aliases }) => aliases));
  const used = {
    ...written,
    model_configs: written.model_configs.filter(({ alias }) => models.has(alias)),
    tool_configs: written.tool_configs.filter(({ tool_alias: alias }) => tools.has(alias)),
  };
  return steady(significant(used, transportKeys(config, registry))) as Fields;
}

function steady(value: unknown): unknown {
  if (value instanceof Float || typeof value !== 'object' || value === null) {
    return typeof value === 'number' && Number.isFinite(value) ? Number(value.toPrecision(STEADY_DIGITS)) : value;
  }
  if (Array.isArray(value)) return value.map(steady);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, steady(part)]));
}

type Fields = Readonly<Record<string, unknown>>;

/** The keys of the seed that say how to reach it, which do not change a dataset. */
function transportKeys({ seedConfig }: DatasetConfig, registry: ColumnRegistry): readonly string[] {
  return (seedConfig && registry.seedKindOf(seedConfig.source).transport) ?? [];
}

function significant(written: WrittenDataset, transport: readonly string[]): Fields {
  const { columns, profilers: _, seed_config: seed, select, ...lists } = written;
  const filled = Object.entries(lists).filter(([, list]) => list !== null && list !== undefined && list.length > 0);
  const { model_configs: models, tool_configs: tools, ...others } = Object.fromEntries(filled);
  return {
    columns,
    ...others,
    ...(models ? { model_configs: sortedBy('alias', models.map(significantModel)) } : {}),
    ...(tools ? { tool_configs: sortedBy('tool_alias', tools.map(significantTools)) } : {}),
    seed_config: seed && { ...seed, source: without(Object(seed.source), transport) },
    ...(select ? { select: without(select, SELECT_LIMITS) } : {}),
  };
}

/** Limits and timeouts, which do not change a dataset. */
const LIMITS = [
  'max_parallel_requests',
  'requests_per_minute',
  'tokens_per_minute',
  'timeout',
  'total_timeout',
  'max_answer_mb',
];

/** Keys of tool configs that do not change a dataset: a time limit, and where the tools run. */
const TOOL_LIMITS = ['timeout_sec', 'single_machine'];

/** Keys of a selection that do not change which rows it accepts. */
const SELECT_LIMITS = ['max_candidates', 'on_exhausted', 'keep_candidates'];

function significantModel({ skip_health_check: _, pricing: __, inference_parameters, ...model }: Fields): Fields {
  return { ...model, inference_parameters: without(Object(inference_parameters), LIMITS) };
}

function significantTools(tools: Fields): Fields {
  const { allow_tools: allowed } = tools;
  const empty = !Array.isArray(allowed) || allowed.length === 0;
  return without(tools, empty ? [...TOOL_LIMITS, 'allow_tools'] : TOOL_LIMITS);
}

function sortedBy(key: string, list: readonly Fields[]): Fields[] {
  return list.toSorted((a, b) => compareText(String(a[key]), String(b[key])));
}
