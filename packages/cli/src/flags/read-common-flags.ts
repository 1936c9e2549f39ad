import { existsSync } from 'node:fs';
import { areBoundedColumnTypes } from '@data-designer/columns';
import {
  type Home,
  isMapping,
  joinProviders,
  loadDocument,
  loadProviders,
  loadRunConfig,
  readHome,
  readSource,
  type RunSettings,
} from '@data-designer/config';
import { DataDesignerError, printViolation, type Violation } from '@data-designer/core';
import type { FunctionToolProvider, LocalToolProvider } from '@data-designer/mcp';
import type { GivenProviders, Permissions } from '@data-designer/declaration';
import type { CommandConfig } from '../code-config/load-code-config.ts';
import type { CommonFlags, SourceFlags } from './common-flags.ts';
import { settingsIn } from './option-flags.ts';

/** The suffixes of configs that are programs. */
const CODE = /\.[cm]?[jt]s$/i;

/** Reads a command's config from a file or an address, or runs a code config with the arguments after `--`. */
export async function readConfig(source: string, { allowPrivate, args }: SourceFlags): Promise<CommandConfig> {
  const isAddress = /^[a-z][a-z\d+.-]+:\/\//i.test(source);
  const isCode = CODE.test(isAddress ? source.replace(/[?#].*$/, '') : source);
  if (isCode && isAddress)
    throw refuse(source, 'code is run from a local file only: download it, read it, and name it');
  if (isCode) return (await import('../code-config/load-code-config.ts')).loadCodeConfig(source, args);
  if (args.length > 0) throw refuse(source, 'it takes no arguments after --: only a code config (.ts, .js) does');
  if (isAddress) return readSource(source, { allowPrivate });
  return { document: loadDocument(source), source, origin: 'local' };
}

/** Reads the config of a stage that a workflow's file names. Such a file may come from anyone, so it names no code. */
export async function readStageConfig(source: string, flags: SourceFlags): Promise<CommandConfig> {
  if (!CODE.test(source)) return readConfig(source, { ...flags, args: [] });
  throw refuse(source, 'a workflow file may not name code: compose the workflow in TypeScript, or use a YAML config');
}

/** Whether the columns of a declaration need a worker thread even for few rows, and whether they name a model. */
export function threadNeeds({ document, spelling }: CommandConfig): {
  readonly worker: boolean;
  readonly models: boolean;
} {
  const root = isMapping(document) && isMapping(document['data_designer']) ? document['data_designer'] : document;
  const declared = isMapping(root) ? root['columns'] : undefined;
  const columns = Array.isArray(declared) ? declared.filter(isMapping) : [];
  const isCamel = spelling === 'camel';
  const [type, alias] = isCamel ? ['columnType', 'modelAlias'] : ['column_type', 'model_alias'];
  const hasTools = columns.some((column) => typeof column[isCamel ? 'toolAlias' : 'tool_alias'] === 'string');
  return {
    worker: columns.length === 0 || hasTools || !areBoundedColumnTypes(columns.map((column) => column[type])),
    models: columns.some((column) => alias in column),
  };
}

/** Whether a document declares a workflow: it has stages and no columns. */
export function isFlow({ document }: Pick<CommandConfig, 'document'>): boolean {
  return isMapping(document) && document['stages'] !== undefined && document['columns'] === undefined;
}

function refuse(path: string, reason: string): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason });
}

/** The settings of a `DataDesigner` from the common flags and the home folder. */
export interface CommonSettings {
  /** A provider from a flag's file replaces the home folder's provider of the same name. */
  readonly providers: GivenProviders;
  readonly runConfig: RunSettings;
  /** The home folder: models for configs that declare none, and tool configs. */
  readonly home: Home;
  readonly permissions: Permissions;
  readonly prices: string | undefined;
  readonly mediaRoots: readonly string[];
  readonly plugins: readonly string[];
  readonly onWarning: (warning: Violation) => void;
}

/**
 * Reads the files that the common flags name, and the home folder; its warnings go to standard error. The tools that a code
 * config exports are the provider `functions`.
 */
export function readCommon(flags: CommonFlags, { functions }: Pick<CommandConfig, 'functions'> = {}): CommonSettings {
  const { providers, runConfig, prices, allowLocal, allowPrivate, allowSecret } = flags;
  const settings = runConfig === undefined ? {} : loadRunConfig(runConfig);
  const home = readHome();
  for (const warning of home.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const given = providers.map((file) => loadProviders(file));
  const { models, tools } = joinProviders(...given, home.providers);
  return {
    providers: { models, tools: [...functionsIn(flags.functions, functions), ...tools] },
    runConfig: { ...settings, ...settingsIn(flags) },
    prices,
    mediaRoots: flags.mediaRoot,
    plugins: flags.plugins,
    home,
    permissions: { localFiles: allowLocal, secrets: allowSecret, privateAddresses: allowPrivate },
    onWarning: (warning) => process.stderr.write(`Warning: ${printViolation(warning)}\n`),
  };
}

/** The module of `--functions`, or the tools of a code config, as a provider. Only a flag may name code, YAML never does. */
function functionsIn(
  file: string | undefined,
  exported: FunctionToolProvider | undefined,
): readonly LocalToolProvider[] {
  if (file === undefined) return exported ? [exported] : [];
  if (exported) {
    const reason = 'both the config and --functions have tools for it; export all of them from one of the two files';
    throw new DataDesignerError('tool/unavailable', { provider: 'functions', reason });
  }
  if (!existsSync(file)) {
    throw new DataDesignerError('tool/unavailable', { provider: 'functions', reason: `there is no file ${file}` });
  }
  return [{ name: 'functions', providerType: 'local', module: file }];
}
