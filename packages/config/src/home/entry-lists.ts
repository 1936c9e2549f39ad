import type { z } from 'zod';
import { knownNames } from '@data-designer/core';
import { modelConfig } from '../schemas/model-config.ts';
import { MCP_PROVIDER_TYPES, mcpProvider, modelProvider } from '../schemas/providers.ts';
import { toolConfig } from '../schemas/tool-config.ts';
import { given, isMapping } from '../spelling.ts';
import type { HomeFile } from './home-folder.ts';
import { type EntryList, type EntryMistake, plainWord } from './read-entries.ts';

/** The list of each file of the home folder, with the schemas of its entries. */
export const ENTRY_LISTS = {
  modelProviders: {
    key: 'providers',
    noun: 'model provider',
    nameField: 'name',
    atLeastOne: true,
    schemaOf: () => modelProvider,
  },

  modelConfigs: {
    key: 'modelConfigs',
    noun: 'model config',
    nameField: 'alias',
    repeats: true,
    schemaOf: (entry) => modelWithoutProvider(entry) ?? modelConfig,
  },

  mcpProviders: {
    key: 'providers',
    noun: 'MCP provider',
    nameField: 'name',
    schemaOf: (entry) => unknownMCPType(entry) ?? mcpProvider,
  },

  toolConfigs: {
    key: 'toolConfigs',
    noun: 'tool config',
    nameField: 'toolAlias',
    schemaOf: () => toolConfig,
  },
} as const satisfies Record<HomeFile, EntryList<z.ZodType>>;

/** The error of a model without a provider, as in older files; there is no default provider. */
function modelWithoutProvider(entry: unknown): EntryMistake | undefined {
  if (!isMapping(entry)) return undefined;
  const provider = given(entry, 'provider');
  if (provider !== undefined && provider !== null) return undefined;
  const alias = given(entry, 'alias');
  const model = typeof alias === 'string' ? `the model '${alias}'` : 'a model without alias';
  const message = `${model} has no provider.`;
  const remedy = "Add 'provider' with the name of a model provider.";
  return { field: 'provider', type: 'missing_provider', message, remedy };
}

function unknownMCPType(entry: unknown): EntryMistake | undefined {
  if (!isMapping(entry)) return undefined;
  const type = given(entry, 'providerType');
  if (MCP_PROVIDER_TYPES.some((known) => known === type)) return undefined;
  const word = typeof type === 'string' ? plainWord(type) : '';
  const message = type === undefined ? 'this key is missing.' : `there is no provider type '${word}'.`;
  const remedy = knownNames(word, MCP_PROVIDER_TYPES);
  return { field: 'providerType', type: 'unknown_provider_type', message, remedy };
}
