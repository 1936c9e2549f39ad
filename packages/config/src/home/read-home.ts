import { lstatSync, statSync } from 'node:fs';
import type { ModelConfig } from '../schemas/model-config.ts';
import type { MCPProvider, ModelProvider, Providers } from '../schemas/providers.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import { ENTRY_LISTS } from './entry-lists.ts';
import { HOME_FILE_LIST, type HomeFile, homeFolder, type HomeFolder } from './home-folder.ts';
import { executionProvider, fromFile } from '../schemas/providers.ts';
import { type EntryList, readEntries } from './read-entries.ts';
import { holdsKey } from './secret-text.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';

/** The contents of the home folder, with stock models and model providers for missing files. */
export interface Home {
  /** The paths of the folder and of its files. */
  readonly folder: HomeFolder;
  /** The models of a declaration that declares none. */
  readonly models: readonly ModelConfig[];
  /** The tool configs. */
  readonly toolConfigs: readonly ToolConfig[];
  /** The model, MCP and execution providers. */
  readonly providers: Providers;
  /** The missing files. */
  readonly missing: readonly HomeFile[];
  /** Warnings for the user, one sentence each. */
  readonly warnings: readonly string[];
}

const EXECUTION_PROVIDERS: EntryList<typeof executionProvider> = {
  key: 'providers',
  noun: 'execution provider',
  nameField: 'name',
  schemaOf: () => executionProvider,
};

/** Reads the home folder; throws `config/unreadable`, or `config/invalid` with the errors of one file but no key. */
export function readHome(folder: HomeFolder = homeFolder()): Home {
  const { files } = folder;
  const there = (file: HomeFile) => isThere(files[file]);
  const declared = there('modelConfigs')
    ? readEntries(files.modelConfigs, ENTRY_LISTS.modelConfigs)
    : stockModelConfigs();
  const models = lastOfAlias(declared);
  const providers = {
    models: there('modelProviders')
      ? readEntries(files.modelProviders, ENTRY_LISTS.modelProviders)
      : stockModelProviders,
    tools: there('mcpProviders')
      ? readEntries(files.mcpProviders, ENTRY_LISTS.mcpProviders).map((one) => fromFile(one, files.mcpProviders))
      : [],
    ...(isThere(folder.executionProviders) && {
      programs: readEntries(folder.executionProviders, EXECUTION_PROVIDERS),
    }),
  };
  return {
    folder,
    models,
    toolConfigs: there('toolConfigs') ? readEntries(files.toolConfigs, ENTRY_LISTS.toolConfigs) : [],
    providers,
    missing: HOME_FILE_LIST.filter((file) => !there(file)),
    warnings: [
      ...exposedKeys(files.modelProviders, providers.models),
      ...exposedKeys(files.mcpProviders, providers.tools),
      ...repeatedAliases(files.modelConfigs, declared),
    ],
  };
}

/** Whether a file exists; true if that is unknown, as reading it then reports the reason. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Of several models with one alias the last one wins (as in NeMo Data Designer). */
function lastOfAlias(models: readonly ModelConfig[]): readonly ModelConfig[] {
  return [...new Map(models.map((model) => [model.alias, model])).values()];
}

function repeatedAliases(path: string, models: readonly ModelConfig[]): string[] {
  const aliases = models.map(({ alias }) => alias);
  const repeated = new Set(aliases.filter((alias, index) => aliases.indexOf(alias) !== index));
  return [...repeated].map((alias) => `${path} declares the model '${alias}' more than once; the last one is used.`);
}

/** The mode bits that give others access to a file; Windows has none. */
const OTHERS = 0o077;

function exposedKeys(path: string, providers: readonly (ModelProvider | MCPProvider)[]): string[] {
  if (process.platform === 'win32' || !isThere(path)) return [];
  if ((statSync(path).mode & OTHERS) === 0 || !providers.some(holdsKey)) return [];
  return [`${path} contains a key, and other users can read it. Run: chmod 600 '${path}'`];
}
