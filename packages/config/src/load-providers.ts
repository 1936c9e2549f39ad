import { nearest } from '@data-designer/core';
import { type EntryList, type EntryMistake, plainWord, readEntries } from './home/read-entries.ts';
import {
  MCP_PROVIDER_TYPES,
  type MCPProvider,
  mcpProvider,
  type ModelProvider,
  modelProvider,
  type Providers,
} from './schemas/providers.ts';
import { given, isMapping } from './spelling.ts';

const MCP_TYPES: readonly string[] = MCP_PROVIDER_TYPES;

/** Model and MCP providers in one list, told apart by their type; a model provider and an MCP provider may share a name. */
const EITHER: EntryList<typeof modelProvider | typeof mcpProvider> = {
  key: 'providers',
  noun: 'provider',
  nameField: 'name',
  schemaOf: kindOf,
};

/**
 * Reads providers from a file `{ providers: [...] }` as the home folder keeps them; models and tools may stand in one
 * list. Throws `config/unreadable` or `config/invalid`.
 */
export function loadProviders(path: string): Providers {
  const entries = readEntries(path, EITHER);
  return {
    models: entries.filter((entry): entry is ModelProvider => !isMCPProvider(entry)),
    tools: entries.filter(isMCPProvider),
  };
}

function isMCPProvider(provider: ModelProvider | MCPProvider): provider is MCPProvider {
  return MCP_TYPES.includes(provider.providerType);
}

/** Any type that is not one of MCP is one of models, unless it looks like a slip of the pen. */
function kindOf(entry: unknown): typeof modelProvider | typeof mcpProvider | EntryMistake {
  const type = isMapping(entry) ? given(entry, 'providerType') : undefined;
  if (typeof type !== 'string') return modelProvider;
  if (MCP_TYPES.includes(type)) return mcpProvider;
  const meant = nearest(type, MCP_TYPES);
  if (meant === undefined) return modelProvider;
  const message = `there is no provider type '${plainWord(type)}'.`;
  return { field: 'providerType', type: 'unknown_provider_type', message, remedy: `Did you mean '${meant}'?` };
}

/** Joins the providers of a run: of two with one name the earlier wins, and keys become references where they are names. */
export function joinProviders(...sources: readonly Providers[]): Providers {
  return requireNamedKeys({
    models: firstOfName(sources.flatMap(({ models }) => models)),
    tools: firstOfName(sources.flatMap(({ tools }) => tools)),
  });
}

function firstOfName<P extends { readonly name: string }>(providers: readonly P[]): P[] {
  return [...new Map(providers.toReversed().map((provider) => [provider.name, provider])).values()];
}

/** What nobody has for a key, and everybody for the name of a variable that holds one: `OPENAI_API_KEY`, `HF_TOKEN`. */
const KEY_NAME = /^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET)$/;

/**
 * The providers with every key that is plainly the name of a variable written as `${NAME}`: if it is not set, a run
 * asks for it by name, where the Python tool would send the name itself for a key.
 */
export function requireNamedKeys({ models, tools }: Providers): Providers {
  return { models: models.map((provider) => named(provider)), tools: tools.map((provider) => named(provider)) };
}

function named<Provider extends object>(provider: Provider): Provider {
  if (!('apiKey' in provider) || typeof provider.apiKey !== 'string' || !KEY_NAME.test(provider.apiKey))
    return provider;
  return { ...provider, apiKey: `\${${provider.apiKey}}` };
}
