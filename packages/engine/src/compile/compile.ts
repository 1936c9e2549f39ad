import { randomInt } from 'node:crypto';
import {
  type ArrowField,
  cellField,
  type ColumnConfig,
  DataDesignerError,
  type Plan,
  type PlannedColumn,
  type PlannedTable,
  SEED_TABLE,
} from '@data-designer/core';
import {
  type ColumnFacts,
  type ColumnRegistry,
  compiledFingerprint,
  type DatasetConfig,
  dependenciesOf,
  factsOf,
  isGrouped,
  addedBeforeRows,
  cellIdentityOf,
  identityOf,
  type ModelProvider,
  noPrices,
  orderColumns,
  type PriceOf,
  ROW_ID,
  rowIdColumn,
  type RunConfig,
  type ToolConfig,
  withEnvironments,
} from '@data-designer/config';
import { withHandles } from '../functions/plan-functions.ts';
import { withLargeFloats } from './large-floats.ts';
import { type PlannedResources, planResources, planProfilers } from './plan-models.ts';
import { afterAttempts, attemptFacts, planAttempts } from './plan-attempts.ts';
import { afterWhere, planSelect, whereFacts } from './plan-select.ts';
import { planEnvironments } from './plan-environments.ts';
import { planProcessors } from './plan-processors.ts';

/** Rows per group where money is spent: small enough to commit often. */
const PAID_GROUP_ROWS = 1000;
/** Rows per group where nothing is spent: large enough that files and tasks cost little, small enough for many workers. */
const LOCAL_GROUP_ROWS = 10_000;
/** Seed rows of a group: several groups are open in a thread, and each holds its rows until it is written. */
const GROUP_BYTES = 3 * 1024 * 1024;
/** Answers of a group, as long as they may be. */
const ANSWERS_BYTES = 24 * 1024 * 1024;
/** About the length of a token. */
const BYTES_OF_TOKEN = 4;
/** Row groups for the machines of a cluster: enough for some tens of machines, of which none is to wait for the last. */
const SHARED_GROUPS = 64;
/** Row groups that one machine has open at a time, if their rows leave permits unused. */
const OPEN_GROUPS = 3;
/** The fewest groups for several machines, however many permits there are. */
const LEAST_SHARED_GROUPS = 8;
/** Random seeds stay within the integers that JSON readers keep exactly. */
const MAX_SEED = 2 ** 48 - 1;

/** The options of `compile`. */
export interface CompileOptions {
  readonly registry: ColumnRegistry;
  readonly numRecords: number;
  /** The modules of the registry's plug-ins, by their addresses. */
  readonly plugins?: readonly string[];
  readonly runConfig: RunConfig;
  readonly modelProviders: readonly ModelProvider[];
  /** Sets of tools that a declaration may name without declaring them. */
  readonly knownTools: readonly ToolConfig[];
  /** Prices of models whose configs have none. */
  readonly priceOf?: PriceOf;
  /** Whether machines of a cluster make the rows: then row groups are small enough that none of them idles. */
  readonly isShared?: boolean | undefined;
  /** Seed tables; the fields of `SEED_TABLE` become columns. */
  readonly tables?: readonly PlannedTable[];
  /** About how many bytes a seed row holds; absent if unknown. */
  readonly rowBytes?: number | undefined;
}

/** Compiles a declaration without mistakes to a plan. */
export function compile(declared: DatasetConfig, options: CompileOptions): Plan {
  const { registry, numRecords, runConfig, modelProviders, knownTools, tables = [], priceOf = noPrices } = options;
  const { plugins = [], rowBytes = 0 } = options;
  const config = runConfig.debugOverrideSaveAllColumnTraces ? keepingTraces(declared) : declared;
  const seedFields = tables.find(({ id }) => id === SEED_TABLE)?.fields ?? [];
  const withTools = { ...config, toolConfigs: [...knownTools, ...config.toolConfigs] };
  const declaredFacts = withEnvironments(
    config.columns.map((column) => factsOf(column, registry)),
    withTools,
  );
  // A function may give any text, also in place of a date.
  const stored = config.processors.some((one) => registry.processorOf(one).process)
    ? seedFields.map(cellField)
    : seedFields;
  const addedFirst = addedBeforeRows(config.processors, registry);
  const named = [...declaredFacts, ...seedFacts([...stored, ...addedFirst], registry)];
  const facts = [...rowIdFacts(named, config, registry), ...named];
  const deciding = whereFacts(config.select, registry);
  const { attempts = [] } = config;
  const ofAttempts = attemptFacts(attempts, facts, registry);
  const columns = planColumns([...facts, ...deciding, ...ofAttempts.decisions], ofAttempts.outputs, config);
  const planned = planResources(columns, withTools, { providers: modelProviders, priceOf });
  const profilers = planProfilers(config, { providers: modelProviders, priceOf });
  const usesGateway = planned.resources.length > 0;
  const most = Math.min(
    mostRows(usesGateway ? PAID_GROUP_ROWS : LOCAL_GROUP_ROWS, { bytes: GROUP_BYTES, each: rowBytes }),
    rowsOfAnswers(columns, planned),
  );
  const groupSize = runConfig.bufferSize ?? (options.isShared ? Math.min(most, sharedRows(numRecords, planned)) : most);
  return {
    version: 1,
    fingerprint: compiledFingerprint(config, {
      registry,
      seedColumns: [...seedFields, ...addedFirst].map(({ name }) => name),
    }),
    identity: identityOf(withTools, registry),
    cellIdentity: cellIdentityOf(withTools, registry),
    seed: runConfig.seed ?? randomInt(MAX_SEED),
    columns,
    ...planProcessors([...facts, ...ofAttempts.outputs], config.processors, {
      keepsDropped: runConfig.preserveDroppedColumns,
      registry,
    }),
    ...planned,
    tables,
    constraints: withLargeFloats(
      config.constraints.filter(({ rhs }) => typeof rhs === 'string' || Number.isFinite(rhs)),
    ),
    segments: [{ firstRow: 0, rows: numRecords, groupSize }],
    ...planEnvironments(columns, config),
    ...(attempts.length > 0 && { attempts: planAttempts(attempts, columns, ofAttempts) }),
    ...planSelect(config.select),
    templates: runConfig.jinjaRenderingEngine,
    ...(plugins.length > 0 ? { plugins } : {}),
    maxConversationRestarts: runConfig.maxConversationRestarts,
    maxConversationCorrectionSteps: runConfig.maxConversationCorrectionSteps,
    ...(profilers.length > 0 ? { profilers } : {}),
    ...(runConfig.pythonLayout ? { layout: 'python' as const } : {}),
    maxCost: runConfig.maxCost,
  };
}

/** Rows of a group: fewer where they are long. */
function mostRows(rows: number, { bytes, each }: { readonly bytes: number; readonly each: number }): number {
  return Math.max(1, Math.min(rows, Math.floor(bytes / Math.max(1, each))));
}

/** Rows of a group whose answers may be as long as `max_tokens`, but enough of them that the permits are used. */
function rowsOfAnswers(columns: readonly PlannedColumn[], planned: PlannedResources): number {
  const bytesOf = ({ requires, writes }: PlannedColumn): number => {
    const tokens = requires.models.map((alias) => Number(planned.models[alias]?.parameters['max_tokens'] ?? 0));
    // Each field that a column writes may hold the answer, as a trace does.
    return Math.max(0, ...tokens) * BYTES_OF_TOKEN * writes.length;
  };
  const each = columns.reduce((sum, column) => sum + bytesOf(column), 0);
  if (each === 0) return Number.POSITIVE_INFINITY;
  return Math.max(mostRows(PAID_GROUP_ROWS, { bytes: ANSWERS_BYTES, each }), rowsForPermits(planned));
}

/** Rows of a group that several machines share: many groups, each with enough rows that one machine can use all permits. */
function sharedRows(rows: number, planned: PlannedResources): number {
  const wanted = Math.max(rows / SHARED_GROUPS, rowsForPermits(planned));
  return Math.max(1, Math.ceil(Math.min(wanted, rows / LEAST_SHARED_GROUPS)));
}

/** So many rows of each open group use all permits, also while the last rows of one are made. */
function rowsForPermits({ resources }: PlannedResources): number {
  const permits = resources.reduce((sum, { kind, limit }) => (kind === 'model' ? sum + limit : sum), 0);
  return Math.ceil((2 * permits) / OPEN_GROUPS);
}

/** The seed columns, with the types of the seed rows. */
function seedFacts(fields: readonly ArrowField[], registry: ColumnRegistry): readonly ColumnFacts[] {
  const type = registry.types.find(({ ofSeed }) => ofSeed);
  if (!type) return [];
  return fields.map((field) => {
    const column = parsedColumn(type, { name: field.name, columnType: type.type });
    return { ...factsOf(column, registry), writes: [field] };
  });
}

/** The declaration with full traces in every column that can store one. */
function keepingTraces(config: DatasetConfig): DatasetConfig {
  const columns = config.columns.map((column) =>
    'withTrace' in column ? { ...column, withTrace: 'all_messages' } : column,
  );
  return { ...config, columns };
}

/** The columns in dependency order. */
function planColumns(
  facts: readonly ColumnFacts[],
  ofBlocks: readonly ColumnFacts[],
  config: DatasetConfig,
): readonly PlannedColumn[] {
  const dependencies = afterAttempts(
    dependenciesOf([...facts, ...ofBlocks], config.constraints),
    config.attempts ?? [],
  );
  const sorted = orderColumns(afterWhere(dependencies, facts, config));
  if (!('order' in sorted))
    throw new DataDesignerError('internal/unexpected', { reason: 'the columns refer to each other in a circle' });
  const byName = new Map(facts.map((one) => [one.column.name, one]));
  return sorted.order.map(({ name, needs, reads, skipReads }) => {
    return plannedColumn(byName.get(name) as ColumnFacts, { needs, reads, skipReads });
  });
}

function plannedColumn(
  { column, type, writes, requires, chats, environments }: ColumnFacts,
  links: Pick<PlannedColumn, 'needs' | 'reads' | 'skipReads'>,
): PlannedColumn {
  const { name } = column;
  const config = withHandles(withLargeFloats(column), `columns.${name}`);
  const grouped = isGrouped({ type, column }) ? ({ isGrouped: true } as const) : {};
  return {
    name,
    config,
    ...links,
    writes,
    requires,
    ...(chats.length > 0 && { chats }),
    ...(environments && { environments }),
    ...grouped,
  };
}

/** The row id as the Python tool has it in each dataset without sampled and seed columns: a stored dropped column. */
export function withRowId(plan: Plan, registry: ColumnRegistry): Plan {
  const added = rowIdColumn(registry).map((column) => factsOf(column, registry));
  const columns = added.map((facts) => plannedColumn(facts, { needs: [], reads: [], skipReads: [] }));
  const others = plan.columns.filter(({ name }) => name !== ROW_ID);
  const dropped = plan.dropped && [...added.flatMap(({ writes }) => writes), ...plan.dropped];
  return { ...plan, columns: [...columns, ...others], dropped };
}

/**
 * The row id column that a dataset without sampled and seed columns has where a column reads it (as in NeMo Data
 * Designer); it is never written.
 */
function rowIdFacts(
  facts: readonly ColumnFacts[],
  { processors }: DatasetConfig,
  registry: ColumnRegistry,
): readonly ColumnFacts[] {
  const isSourced = facts.some(({ column, type }) => 'fill' in type || type.ofSeed || column.name === ROW_ID);
  if (isSourced) return [];
  const named = [
    ...facts.flatMap(({ references, skipReferences }) => [...references, ...skipReferences].map(({ name }) => name)),
    ...processors.flatMap((one) => registry.processorOf(one).sideTable?.reads(one) ?? []),
  ];
  return named.includes(ROW_ID) ? rowIdColumn(registry).map((column) => factsOf(column, registry)) : [];
}

/** The column of a declaration that has no mistake. */
function parsedColumn({ schema }: Pick<ColumnFacts['type'], 'schema'>, declared: unknown): ColumnConfig {
  return schema.parse(declared) as unknown as ColumnConfig;
}
