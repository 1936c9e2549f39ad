import { randomInt } from 'node:crypto';
import {
  type ArrowField,
  type ColumnConfig,
  DataDesignerError,
  type Plan,
  type PlannedColumn,
  type Violation,
} from '@data-designer/core';
import {
  checkDataset,
  type ColumnRegistry,
  type DatasetConfig,
  type ModelProvider,
  type ParsedDataset,
  type ProviderNames,
  type RunConfig,
  typeOf,
} from '@data-designer/config';
import { datasetFingerprint } from './fingerprint.ts';
import { orderColumns } from './order-columns.ts';
import { planOutside } from './plan-models.ts';

/** Rows per group where money is spent: small enough to commit often. */
const PAID_GROUP_ROWS = 1000;
/** Rows per group where nothing is spent: large enough that files and tasks cost little. */
const LOCAL_GROUP_ROWS = 100_000;
/** Random seeds stay within what a JSON reader keeps exactly. */
const MAX_SEED = 2 ** 48 - 1;

/** What a plan is made for. */
export interface CompileOptions {
  readonly registry: ColumnRegistry;
  readonly numRecords: number;
  readonly runConfig: RunConfig;
  /** Names that configurations may use, built-in ones included. */
  readonly providerNames: ProviderNames;
  readonly modelProviders: readonly ModelProvider[];
  /** What the declaration is called in messages: its file, usually. */
  readonly source: string;
}

/** Turns a declaration into a plan, finding every mistake that can be found before the first request: `config/invalid`. */
export function compile(parsed: ParsedDataset, options: CompileOptions): Plan {
  const { registry, numRecords, runConfig, modelProviders, source } = options;
  refuse(source, parsed.violations);
  refuse(source, checkDataset(parsed, registry, options.providerNames));
  const config = runConfig.debugOverrideSaveAllColumnTraces ? keepingTraces(parsed.config) : parsed.config;
  const columns = inOrder(planColumns(config.columns, registry), parsed, source);
  const outside = planOutside(columns, config, modelProviders);
  const spends = outside.resources.length > 0;
  const groupSize = runConfig.bufferSize ?? (spends ? PAID_GROUP_ROWS : LOCAL_GROUP_ROWS);
  return {
    version: 1,
    fingerprint: datasetFingerprint(config),
    seed: runConfig.seed ?? randomInt(MAX_SEED),
    columns,
    fields: writtenFields(config.columns, registry),
    ...outside,
    segments: [{ firstRow: 0, rows: numRecords, groupSize }],
    maxConversationRestarts: runConfig.maxConversationRestarts,
    maxConversationCorrectionSteps: runConfig.maxConversationCorrectionSteps,
  };
}

/** The declaration with the whole trace of every column that can keep one. */
function keepingTraces(config: DatasetConfig): DatasetConfig {
  const columns = config.columns.map((column) =>
    'withTrace' in column ? { ...column, withTrace: 'all_messages' } : column,
  );
  return { ...config, columns };
}

function refuse(source: string, violations: readonly Violation[]): void {
  if (violations.some(({ level }) => level === 'ERROR'))
    throw new DataDesignerError('config/invalid', { source, violations });
}

/** Each column with the columns it needs: side effects are resolved to the column that makes them. */
function planColumns(configs: readonly ColumnConfig[], registry: ColumnRegistry): PlannedColumn[] {
  const writes = configs.map((config) => typeOf(config, registry).writes(config as never));
  const maker = new Map(writes.flatMap((fields, index) => fields.map(({ name }) => [name, configs[index]?.name])));
  return configs.map((config, index) => {
    const type = typeOf(config, registry);
    const named = type.reads(config as never).filter(({ name }) => maker.has(name));
    const reads = [...new Set(named.map(({ name }) => name))];
    const needs = [...new Set(reads.map((name) => maker.get(name) as string))];
    const spends = type.spends?.(config as never) ?? { models: [], tools: [] };
    return { name: config.name, config, needs, reads, writes: writes[index] as readonly ArrowField[], spends };
  });
}

function inOrder(
  columns: readonly PlannedColumn[],
  { place }: ParsedDataset,
  source: string,
): readonly PlannedColumn[] {
  const sorted = orderColumns(columns);
  if ('order' in sorted) return sorted.order;
  const [first = ''] = sorted.circle;
  const index = columns.findIndex(({ name }) => name === first);
  const violation: Violation = {
    stage: 'run',
    type: 'circular_reference',
    level: 'ERROR',
    column: first,
    path: place('columns', index),
    message: `the columns wait for each other: ${sorted.circle.join(' -> ')}.`,
    remedy: 'Take one of these references out.',
  };
  throw new DataDesignerError('config/invalid', { source, violations: [violation] });
}

/** The written table in the order of declaration; a dropped column keeps its side effects. */
function writtenFields(configs: readonly ColumnConfig[], registry: ColumnRegistry): ArrowField[] {
  return configs.flatMap((config) =>
    typeOf(config, registry)
      .writes(config as never)
      .filter(({ name }) => !(config.drop && name === config.name)),
  );
}
