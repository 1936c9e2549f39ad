import {
  checkDataset,
  checkSource,
  type CheckOptions,
  type ColumnRegistry,
  type DatasetConfig,
  type Home,
  locate,
  parseDataset,
  type ParsedDataset,
  type PriceOf,
  type Providers,
  type RunConfig,
  settingsWithoutEffect,
  unusableProvider,
} from '@data-designer/config';
import {
  DataDesignerError,
  MODEL_PROTOCOL_NAMES,
  type Plan,
  SEED_TABLE,
  stoppable,
  type UserFunction,
  type Violation,
} from '@data-designer/core';
import { compile, environmentHandle, functionsIn, processorFunctions, processorHandle } from '@data-designer/engine';
import type { RowSpools, TableSource } from '@data-designer/seeds';
import { type LocalToolProvider, namesRowFolder } from '@data-designer/mcp';
import { builtInModelServers, simulatedProviders } from './built-in-providers.ts';
import type { Permissions, StopOptions } from './data-designer-options.ts';
import type { Declared } from './declaration.ts';
import { offeredTools } from './offered-tools.ts';
import { type OpenedTables, openTables, type TableOptions } from './open-tables.ts';
import { checkDeclaration } from './check-declaration.ts';

/** The settings to read, check and compile declarations with. */
export interface CompileSettings {
  readonly registry: ColumnRegistry;
  /** The modules of the plug-ins among its types. */
  readonly plugins: readonly string[];
  readonly home: Home;
  readonly providers: Providers;
  readonly localTools: readonly LocalToolProvider[];
  readonly permissions: Permissions;
  readonly spools: RowSpools;
  readonly runConfig: RunConfig;
  /** Whether machines of a cluster make the rows. */
  readonly isShared?: boolean | undefined;
  readonly priceOf: PriceOf;
  readonly onWarning: (warning: Violation) => void;
}

/** A parsed declaration, its check options, and the tables its columns read. */
interface ParsedDeclaration {
  readonly parsed: ParsedDataset;
  readonly checks: CheckOptions;
  readonly tables: OpenedTables;
  /** What was found where tables and environments were opened. */
  readonly violations: readonly Violation[];
}

/** The input of a run. */
interface CompiledDeclaration {
  readonly plan: Plan;
  readonly config: DatasetConfig;
  /** The models and tool configs as they are declared. */
  readonly aliases: Pick<ParsedDataset['declared'], 'modelConfigs' | 'toolConfigs'>;
  readonly tables: readonly TableSource[];
  /** The functions in the declaration, by their handles in the plan. */
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** The models that are not probed, by alias, with the reason. */
  readonly skippedProbes: ReadonlyMap<string, string>;
  /** Names the changes since the declaration of an earlier run, in file form. */
  readonly changesSince: (written: unknown) => Promise<readonly Violation[]>;
}

/** The run to compile a declaration for. */
interface WantedPlan {
  readonly wanted: NonNullable<TableOptions['run']>;
  /** The rows that a selection must accept; absent if the number of rows is assumed, or that of a sample. */
  readonly selectedRows?: number | undefined;
  readonly signals: Required<StopOptions>;
}

/** Compiles a declaration to the plan of a run and the sources of its tables; throws `config/invalid`. */
export async function compileDeclaration(
  declared: Declared,
  settings: CompileSettings,
  { wanted, selectedRows, signals }: WantedPlan,
): Promise<CompiledDeclaration> {
  const { registry, plugins, runConfig, home, providers, priceOf } = settings;
  const {
    parsed,
    checks,
    tables,
    violations: tried,
  } = await stoppable((signal) => parseDeclaration(declared, settings, { run: wanted, selectedRows, signal }), signals);
  const keys = { ...keysOf(settings), onlySent: true };
  const violations = locate([...checkDataset(parsed, { ...checks, keys }), ...tried], declared.document);
  const errors = violations.filter(({ level }) => level === 'ERROR');
  if (errors.length > 0) throw new DataDesignerError('config/invalid', { source: declared.source, violations: errors });
  for (const warning of [...violations, ...settingsWithoutEffect(runConfig)]) settings.onWarning(warning);
  const plan = compile(parsed.config, {
    registry,
    plugins,
    numRecords: wanted.rows,
    isShared: settings.isShared,
    runConfig,
    modelProviders: providers.models,
    knownTools: home.toolConfigs,
    priceOf,
    tables: tables.sources.map(({ id, fields, rows: { chats } }) => ({ id, fields, ...(chats && { chats }) })),
    rowBytes: tables.sources.find(({ id }) => id === SEED_TABLE)?.rows.rowBytes,
  });
  const functions = new Map([...functionsOf(parsed.config), ...processorFunctions(plan, registry)]);
  const { config, declared: parts } = parsed;
  return {
    plan,
    config,
    aliases: { modelConfigs: parts.modelConfigs, toolConfigs: parts.toolConfigs },
    tables: tables.sources,
    functions,
    skippedProbes: skippedProbes(config),
    changesSince: async (written) => {
      // Only the refusal of a resume needs it.
      const { changesSince } = await import('@data-designer/config/changes');
      return locate(changesSince(written, parsed, registry), declared.document);
    },
  };
}

/** Parses a declaration and inspects the tables its columns read. Throws `config/invalid` for other values. */
export async function parseDeclaration(
  declared: Declared,
  settings: CompileSettings,
  { selectedRows, ...inspecting }: Pick<TableOptions, 'run' | 'signal'> & Pick<WantedPlan, 'selectedRows'>,
): Promise<ParsedDeclaration> {
  checkDeclaration(declared);
  const { document, origin = 'local', spelling = 'snake', folder = process.cwd(), passesSeedOn } = declared;
  const { registry, home, spools, providers, runConfig, priceOf } = settings;
  const parsed = parseDataset(document, registry, { defaultModels: home.models, spelling });
  const { localFiles = false, secrets = [], privateAddresses = false } = settings.permissions;
  const isLocal = localFiles || origin === 'local';
  const permissions = { folder, localFiles: isLocal, isStageInput: passesSeedOn, secrets, privateAddresses };
  const tables = await openTables(parsed, { registry, home, spools, permissions, ...inspecting });
  const { jinjaRenderingEngine: templates, maxCost } = runConfig;
  const checks = {
    registry,
    providers: knownProviders(settings),
    templates,
    knownTools: home.toolConfigs,
    permissions,
    rows: selectedRows,
    seedRows: tables.seedRows,
    passesSeedOn,
    spending: { maxCost, priceOf, freeProviders: simulatedProviders(providers) },
  };
  const worlds = parsed.config.environments ? await worldMistakes(parsed, registry) : [];
  return { parsed, checks, tables, violations: [...checkSource(document), ...tables.violations, ...worlds] };
}

async function worldMistakes(parsed: ParsedDataset, registry: ColumnRegistry): Promise<readonly Violation[]> {
  // Few declarations have environments.
  const { checkWorlds } = await import('@data-designer/config/check-worlds');
  return checkWorlds(parsed, registry);
}

/** The providers that a declaration may name, and why some of them are unusable. */
function knownProviders({
  providers: { models, tools, programs = [] },
  localTools,
}: CompileSettings): CheckOptions['providers'] {
  const own = new Set(localTools.map(({ name }) => name));
  const unusable = models.flatMap((model) => {
    const reason = unusableProvider(model, MODEL_PROTOCOL_NAMES);
    return reason ? [[model.name, reason] as const] : [];
  });
  return {
    models: [...models, ...builtInModelServers].map(({ name }) => name),
    tools: [...localTools, ...tools].map(({ name }) => name),
    programs: programs.map(({ name }) => name),
    offered: () => offeredTools({ models, tools }, localTools),
    processes: new Map(
      tools.flatMap((one) => {
        if (one.providerType !== 'stdio' || own.has(one.name)) return [];
        return [[one.name, { namesRowFolder: [...one.args, ...Object.values(one.env)].some(namesRowFolder) }] as const];
      }),
    ),
    unusable: new Map(unusable),
  };
}

/** The keys of the providers. Functions win over an MCP provider of the same name. A run itself refuses to start without a key. */
export function keysOf({ providers, localTools }: CompileSettings): NonNullable<CheckOptions['keys']> {
  const own = new Set(localTools.map(({ name }) => name));
  const tools = providers.tools.filter(({ name }) => !own.has(name));
  return { providers: { ...providers, tools }, environment: process.env };
}

/** The functions in columns and processors, by the handles that `compile` gives them. */
function functionsOf({ columns, environments = [], processors }: DatasetConfig): ReadonlyMap<string, UserFunction> {
  return new Map([
    ...columns.flatMap((column) => [...functionsIn(column, `columns.${column.name}`)]),
    ...environments.flatMap((one) => [...functionsIn(one, environmentHandle(one.name))]),
    ...processors.flatMap((processor) => [...functionsIn(processor, processorHandle(processor.name))]),
  ]);
}

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
