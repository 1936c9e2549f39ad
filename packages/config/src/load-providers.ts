import { DataDesignerError, nearest, type Violation } from '@data-designer/core';
import { loadPrivateDocument } from './home/load-private-document.ts';
import { entriesIn, type EntryList, type EntryMistake, plainWord } from './home/read-entries.ts';
import { loadRemedies } from './load-remedies.ts';
import { locate } from './locate.ts';
import {
  EXECUTION_PROVIDER_TYPE,
  type ExecutionProvider,
  executionProvider,
  fromFile,
  MCP_PROVIDER_TYPES,
  type MCPProvider,
  mcpProvider,
  type ModelProvider,
  modelProvider,
  type Providers,
} from './schemas/providers.ts';
import { given, isGiven, isMapping } from './spelling.ts';
import { loadError, printPath } from './document-path.ts';

const MCP_TYPES: readonly string[] = MCP_PROVIDER_TYPES;
const OTHER_TYPES = [...MCP_TYPES, EXECUTION_PROVIDER_TYPE];

type AnyProvider = ModelProvider | MCPProvider | ExecutionProvider;
type ProviderSchema = typeof modelProvider | typeof mcpProvider | typeof executionProvider;

/** Model, MCP and execution providers in one list, distinguished by type; one of each may share a name. */
const ANY: EntryList<ProviderSchema> = {
  key: 'providers',
  noun: 'provider',
  nameField: 'name',
  schemaOf: kindOf,
};

/** Reads model, MCP and execution providers from a file `{ providers: [...] }`; throws `config/unreadable` or `config/invalid`. */
export function loadProviders(path: string): Providers {
  const document = loadPrivateDocument(path);
  const strays = isMapping(document) ? Object.keys(document).filter((key) => OTHER_LISTS.test(key)) : [];
  if (strays.length > 0) {
    const violations = strays.map((key) =>
      loadError(printPath([key], document), { type: 'unknown_key', ...loadRemedies().otherProviders(key) }),
    );
    throw new DataDesignerError('config/invalid', { source: path, violations: locate(violations, document) });
  }
  const entries = entriesIn(document, path, ANY);
  const models = entries.filter(isModelProvider);
  const violations = endpointMistakes(entries, (index) => printPath(['providers', index, 'endpoint'], document));
  if (violations.length > 0) {
    throw new DataDesignerError('config/invalid', { source: path, violations: locate(violations, document) });
  }
  return {
    models,
    tools: entries.filter(isMCPProvider).map((provider) => fromFile(provider, path)),
    ...programsAmong(entries),
  };
}

/** A list of providers under another key, whose entries would not be read. */
const OTHER_LISTS = /^(?:mcp|model|tool|execution)_?providers$/i;

/** The mistakes of endpoints, which a run would find only where something names their provider, or by its requests. */
export function endpointMistakes(
  providers: readonly { readonly name: string; readonly providerType: string }[],
  pathOf: (index: number) => string,
): readonly Violation[] {
  return providers.flatMap((provider, index) => {
    const endpoint = 'endpoint' in provider && typeof provider.endpoint === 'string' ? provider.endpoint : undefined;
    if (endpoint === undefined) return [];
    const isRequest = !OTHER_TYPES.includes(provider.providerType) && OF_A_REQUEST.test(endpoint);
    if (!isRequest && WITH_SCHEME.test(endpoint)) return [];
    const told = isRequest
      ? loadRemedies().addressOfRequest(endpoint.replace(OF_A_REQUEST, ''))
      : loadRemedies().bareAddress(endpoint);
    return [loadError(pathOf(index), { type: 'invalid_value', ...told })];
  });
}

/** The end of an address of single requests, which is added to the endpoint. */
const OF_A_REQUEST = /\/(?:chat\/completions|v\d+\/messages|(?<=\/v\d+\/)(?:responses|embeddings))\/?$/;

/** An address that starts with a scheme, or with a variable. */
const WITH_SCHEME = /^[a-z][a-z\d+.-]*:\/\/|\$/i;

function isModelProvider(provider: AnyProvider): provider is ModelProvider {
  return !OTHER_TYPES.includes(provider.providerType);
}

/** The execution providers of a list; no key without one. */
function programsAmong(entries: readonly AnyProvider[]): Pick<Providers, 'programs'> {
  const programs = entries.filter((one): one is ExecutionProvider => one.providerType === EXECUTION_PROVIDER_TYPE);
  return programs.length === 0 ? {} : { programs };
}

function isMCPProvider(provider: AnyProvider): provider is MCPProvider {
  return MCP_TYPES.includes(provider.providerType);
}

/** Any other type is a model type, unless it looks like a misspelt one of MCP or execution providers. */
function kindOf(entry: unknown): ProviderSchema | EntryMistake {
  const type = isMapping(entry) ? given(entry, 'providerType') : undefined;
  if (typeof type !== 'string') return isTypeless(entry) ? loadRemedies().typeless() : modelProvider;
  if (MCP_TYPES.includes(type)) return mcpProvider;
  if (type === EXECUTION_PROVIDER_TYPE) return executionProvider;
  const meant = nearest(type, OTHER_TYPES);
  if (meant === undefined) return modelProvider;
  const message = `there is no provider type '${plainWord(type)}'.`;
  return { field: 'providerType', type: 'unknown_provider_type', message, remedy: `Did you mean '${meant}'?` };
}

/** Whether a provider starts a program and has no type: model providers do not. */
function isTypeless(entry: unknown): boolean {
  return isMapping(entry) && isGiven(entry, 'command') && !isGiven(entry, 'providerType');
}

/** Joins the providers of a run: the earlier of two with one name wins, and names of variables become references. */
export function joinProviders(...sources: readonly Providers[]): Providers {
  return requireNamedKeys({
    models: firstOfName(sources.flatMap(({ models }) => models)),
    tools: firstOfName(sources.flatMap(({ tools }) => tools)),
    ...programsAmong(firstOfName(sources.flatMap(({ programs = [] }) => programs))),
  });
}

function firstOfName<P extends { readonly name: string }>(providers: readonly P[]): P[] {
  return [...new Map(providers.toReversed().map((provider) => [provider.name, provider])).values()];
}

/** A typical variable name for a key, and never a key: `OPENAI_API_KEY`, `HF_TOKEN`. */
const KEY_NAME = /^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET)$/;

/** Writes keys that name variables as `${NAME}`, so that the run reports an unset one instead of sending its name. */
export function requireNamedKeys({ models, tools, ...others }: Providers): Providers {
  return {
    models: models.map((provider) => named(provider)),
    tools: tools.map((provider) => named(provider)),
    ...others,
  };
}

function named<Provider extends object>(provider: Provider): Provider {
  if (!('apiKey' in provider) || typeof provider.apiKey !== 'string' || !KEY_NAME.test(provider.apiKey))
    return provider;
  return { ...provider, apiKey: `\${${provider.apiKey}}` };
}
