import {
  checkDataset,
  type CheckOptions,
  type ColumnRegistry,
  type DatasetConfig,
  type Home,
  parseDataset,
  type ParsedDataset,
  type PriceOf,
  type Providers,
  type RunConfig,
  settingsWithoutEffect,
  unusableProvider,
} from '@data-designer/config';
import { DataDesignerError, type Plan, stoppable, type UserFunction, type Violation } from '@data-designer/core';
import { compile, functionsIn, processorFunctions, processorHandle } from '@data-designer/engine';
import type { RowSpools, TableSource } from '@data-designer/seeds';
import type { LocalToolProvider } from '@data-designer/mcp';
import { MODEL_PROTOCOLS } from '@data-designer/models/protocols';
import { builtInModelServers, simulatedProviders } from '../built-in-providers.ts';
import type { Permissions, StopOptions } from '../data-designer-options.ts';
import type { Declared } from './declaration.ts';
import { type OpenedTables, openTables, type TableOptions } from './open-tables.ts';
import { refuseNoConfig } from './check-declaration-type.ts';
import { refuseOptions } from './check-options.ts';

/** What declarations are read, checked and compiled with. */
export interface DeclaredSetting {
  readonly registry: ColumnRegistry;
  /** The modules of the plug-ins among its types. */
  readonly plugins: readonly string[];
  readonly home: Home;
  readonly providers: Providers;
  readonly localTools: readonly LocalToolProvider[];
  readonly permissions: Permissions;
  readonly spools: RowSpools;
  readonly runConfig: RunConfig;
  readonly priceOf: PriceOf;
  readonly onWarning: (warning: Violation) => void;
}

/** A declaration, what it is checked against, and the tables that it takes values from. */
interface ParsedDeclared {
  readonly parsed: ParsedDataset;
  readonly checks: CheckOptions;
  readonly tables: OpenedTables;
}

/** A declaration as a run is given it. */
interface CompiledDeclared {
  readonly plan: Plan;
  readonly config: DatasetConfig;
  readonly tables: readonly TableSource[];
  /** The functions of this program that it holds, by the handles that the plan has of them. */
  readonly functions: ReadonlyMap<string, UserFunction>;
}

/** Which run a declaration is compiled for. */
interface WantedPlan {
  readonly wanted: NonNullable<TableOptions['run']>;
  readonly signals: Required<StopOptions>;
}

/** The plan of a run of so many rows, and where the rows of its tables come from; throws `config/invalid`. */
export async function compileDeclared(
  declared: Declared,
  setting: DeclaredSetting,
  { wanted, signals }: WantedPlan,
): Promise<CompiledDeclared> {
  refuseOptions({ numRecords: wanted.rows });
  const { registry, plugins, runConfig, home, providers, priceOf } = setting;
  const { parsed, checks, tables } = await stoppable(
    (signal) => parseDeclared(declared, setting, { run: wanted, signal }),
    signals,
  );
  const violations = [...checkDataset(parsed, checks), ...tables.violations];
  const errors = violations.filter(({ level }) => level === 'ERROR');
  if (errors.length > 0) throw new DataDesignerError('config/invalid', { source: declared.source, violations: errors });
  for (const warning of [...violations, ...settingsWithoutEffect(runConfig)]) setting.onWarning(warning);
  const plan = compile(parsed.config, {
    registry,
    plugins,
    numRecords: wanted.rows,
    runConfig,
    modelProviders: providers.models,
    knownTools: home.toolConfigs,
    priceOf,
    tables: tables.sources.map(({ id, fields }) => ({ id, fields })),
  });
  const functions = new Map([...functionsOf(parsed.config), ...processorFunctions(plan, registry)]);
  return { plan, config: parsed.config, tables: tables.sources, functions };
}

/** Reads a declaration, and looks at the tables that it takes values from. Throws `config/invalid` for what is no config. */
export async function parseDeclared(
  declared: Declared,
  setting: DeclaredSetting,
  looking: Pick<TableOptions, 'run' | 'signal'>,
): Promise<ParsedDeclared> {
  refuseNoConfig(declared);
  const { document, origin = 'local', spelling = 'snake', folder = process.cwd() } = declared;
  const { registry, home, spools, providers, runConfig, priceOf } = setting;
  const parsed = parseDataset(document, registry, { defaultModels: home.models, spelling });
  const { localFiles = false, secrets = [], privateAddresses = false } = setting.permissions;
  const permissions = { folder, localFiles: localFiles || origin === 'local', secrets, privateAddresses };
  const tables = await openTables(parsed, { registry, home, spools, permissions, ...looking });
  const { jinjaRenderingEngine: templates, maxCost } = runConfig;
  const checks = {
    registry,
    providers: knownProviders(setting),
    templates,
    knownTools: home.toolConfigs,
    permissions,
    seedRows: tables.seedRows,
    spending: { maxCost, priceOf, freeProviders: simulatedProviders(providers) },
  };
  return { parsed, checks, tables };
}

const PROTOCOL_NAMES = MODEL_PROTOCOLS.map(({ name }) => name);

/** The providers that a declaration may name, and why some of them cannot be used. */
function knownProviders({ providers: { models, tools }, localTools }: DeclaredSetting): CheckOptions['providers'] {
  const unusable = models.flatMap((model) => {
    const reason = unusableProvider(model, PROTOCOL_NAMES);
    return reason ? [[model.name, reason] as const] : [];
  });
  return {
    models: [...models, ...builtInModelServers].map(({ name }) => name),
    tools: [...localTools, ...tools].map(({ name }) => name),
    unusable: new Map(unusable),
  };
}

/** The functions in columns and processors, under the handles that `compile` gives them. */
function functionsOf({ columns, processors }: DatasetConfig): ReadonlyMap<string, UserFunction> {
  return new Map([
    ...columns.flatMap((column) => [...functionsIn(column, `columns.${column.name}`)]),
    ...processors.flatMap((processor) => [...functionsIn(processor, processorHandle(processor.name))]),
  ]);
}
