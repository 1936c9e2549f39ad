import { lstatSync, statSync } from 'node:fs';
import { knownNames } from '@data-designer/core';
import { modelConfig, type ModelConfig } from '../schemas/model-config.ts';
import {
  MCP_PROVIDER_TYPES,
  type MCPProvider,
  mcpProvider,
  type ModelProvider,
  modelProvider,
  type Providers,
} from '../schemas/providers.ts';
import { toolConfig, type ToolConfig } from '../schemas/tool-config.ts';
import { given, isMapping } from '../spelling.ts';
import { HOME_FILES, type HomeFile, homeFolder, type HomeFolder } from './home-folder.ts';
import { type EntryList, type EntryMistake, plainWord, readEntries } from './read-entries.ts';
import { holdsKey } from './secret-text.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';

/** What a user keeps in the home folder, with stock models and model providers where there is no file. */
export interface Home {
  readonly folder: HomeFolder;
  /** The models of a declaration that declares none. */
  readonly models: readonly ModelConfig[];
  readonly toolConfigs: readonly ToolConfig[];
  readonly providers: Providers;
  /** The files that are not there. */
  readonly missing: readonly HomeFile[];
  /** What the user had better know, a sentence each. */
  readonly warnings: readonly string[];
}

const MODEL_PROVIDERS: EntryList<typeof modelProvider> = {
  key: 'providers',
  noun: 'model provider',
  nameField: 'name',
  atLeastOne: true,
  schemaOf: () => modelProvider,
};

const MODEL_CONFIGS: EntryList<typeof modelConfig> = {
  key: 'modelConfigs',
  noun: 'model config',
  nameField: 'alias',
  repeats: true,
  schemaOf: (entry) => modelWithoutProvider(entry) ?? modelConfig,
};

const MCP_PROVIDERS: EntryList<typeof mcpProvider> = {
  key: 'providers',
  noun: 'MCP provider',
  nameField: 'name',
  schemaOf: (entry) => unknownMCPType(entry) ?? mcpProvider,
};

const TOOL_CONFIGS: EntryList<typeof toolConfig> = {
  key: 'toolConfigs',
  noun: 'tool config',
  nameField: 'toolAlias',
  schemaOf: () => toolConfig,
};

/**
 * Reads the four files of the home folder. Throws `config/unreadable`, or `config/invalid` with every mistake of the
 * first file that has some; no message holds a key.
 */
export function readHome(folder: HomeFolder = homeFolder()): Home {
  const { files } = folder;
  const there = (file: HomeFile) => isThere(files[file]);
  const declared = there('modelConfigs') ? readEntries(files.modelConfigs, MODEL_CONFIGS) : stockModelConfigs();
  const models = lastOfAlias(declared);
  const providers = {
    models: there('modelProviders') ? readEntries(files.modelProviders, MODEL_PROVIDERS) : stockModelProviders,
    tools: there('mcpProviders') ? readEntries(files.mcpProviders, MCP_PROVIDERS) : [],
  };
  return {
    folder,
    models,
    toolConfigs: there('toolConfigs') ? readEntries(files.toolConfigs, TOOL_CONFIGS) : [],
    providers,
    missing: (Object.keys(HOME_FILES) as HomeFile[]).filter((file) => !there(file)),
    warnings: [
      ...exposedKeys(files.modelProviders, providers.models),
      ...exposedKeys(files.mcpProviders, providers.tools),
      ...repeatedAliases(files.modelConfigs, declared),
    ],
  };
}

/** What cannot be looked at is there too: reading it tells why. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** A model without a provider is what older files have; no default provider is chosen for it. */
function modelWithoutProvider(entry: unknown): EntryMistake | undefined {
  if (!isMapping(entry)) return undefined;
  const provider = given(entry, 'provider');
  if (provider !== undefined && provider !== null) return undefined;
  const alias = given(entry, 'alias');
  const model = typeof alias === 'string' ? `the model '${alias}'` : 'a model without alias';
  const message = `${model} names no provider.`;
  return {
    field: 'provider',
    type: 'missing_provider',
    message,
    remedy: "Add 'provider', the name of a model provider.",
  };
}

function unknownMCPType(entry: unknown): EntryMistake | undefined {
  if (!isMapping(entry)) return undefined;
  const type = given(entry, 'providerType');
  if (MCP_PROVIDER_TYPES.some((known) => known === type)) return undefined;
  const word = typeof type === 'string' ? plainWord(type) : '';
  const message = type === undefined ? 'it is missing.' : `there is no provider type '${word}'.`;
  return {
    field: 'providerType',
    type: 'unknown_provider_type',
    message,
    remedy: knownNames(word, MCP_PROVIDER_TYPES),
  };
}

/** Of models under one alias the last counts (as in NeMo Data Designer). */
function lastOfAlias(models: readonly ModelConfig[]): readonly ModelConfig[] {
  return [...new Map(models.map((model) => [model.alias, model])).values()];
}

function repeatedAliases(path: string, models: readonly ModelConfig[]): string[] {
  const aliases = models.map(({ alias }) => alias);
  const repeated = new Set(aliases.filter((alias, index) => aliases.indexOf(alias) !== index));
  return [...repeated].map((alias) => `${path} declares the model '${alias}' more than once; the last one counts.`);
}

/** Rights that let others read a file; Windows keeps them elsewhere. */
const OTHERS = 0o077;

function exposedKeys(path: string, providers: readonly (ModelProvider | MCPProvider)[]): string[] {
  if (process.platform === 'win32' || !isThere(path)) return [];
  if ((statSync(path).mode & OTHERS) === 0 || !providers.some(holdsKey)) return [];
  return [`${path} holds a key, and others than you may read it. Run: chmod 600 '${path}'`];
}
