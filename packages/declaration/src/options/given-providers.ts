import { z } from 'zod';
import { DataDesignerError } from '@data-designer/core';
import {
  endpointMistakes,
  executionProvider,
  type ExecutionProviderSettings,
  type LocalStdioMCPProviderSettings,
  mcpProvider,
  type MCPProviderSettings,
  type ModelDeclaration,
  modelProvider,
  type ModelProviderSettings,
  parseForm,
  type Providers,
  readsAs,
  type RemoteMCPProviderSettings,
  type RunSettings,
  type ToolDeclaration,
} from '@data-designer/config';
import type { LocalToolProvider } from '@data-designer/mcp';

// Under the names of the Python tool; defaults fill in the absent fields.

/** A model provider. Only `name` and `endpoint` are required; see the reference of models and providers for the defaults. */
export type ModelProvider = ModelProviderSettings;
/** An MCP server that is reached over HTTP. Only `name` and `endpoint` are required; `providerType` is `sse` by default. */
export type MCPProvider = RemoteMCPProviderSettings;
/** An MCP server that is started as a child process. Only `name` and `command` are required. */
export type LocalStdioMCPProvider = LocalStdioMCPProviderSettings;
/** A model alias and its inference parameters, as `addModelConfig` takes it. */
export type ModelConfig = ModelDeclaration;
/** A set of tools under an alias, as `addToolConfig` takes it. */
export type ToolConfig = ToolDeclaration;
/** The settings of runs, as `setRunConfig` takes them; absent ones have their defaults. */
export type RunConfig = RunSettings;

/** Model and tool providers of a program. Unlike in files, tools may be functions. */
export interface GivenProviders {
  /** Model providers; none unless given. */
  readonly models?: readonly ModelProviderSettings[];
  /** MCP providers, and functions or modules as tools; none unless given. */
  readonly tools?: readonly (MCPProviderSettings | LocalToolProvider)[];
  /** Commands that run programs; none unless given. */
  readonly programs?: readonly ExecutionProviderSettings[];
}

/** Providers split into servers, and functions and modules of the program. */
export interface SplitProviders {
  readonly servers: Providers;
  /** The first provider of each name. */
  readonly local: readonly LocalToolProvider[];
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Tools of the program; a run checks the tools themselves. */
const localProvider = z
  .strictObject({
    name: z.string(),
    providerType: z.literal('local'),
    tools: z.array(z.unknown()).optional(),
    module: z.union([z.string(), z.instanceof(URL)]).optional(),
    toolPrefix: z.string().optional(),
    readResource: z.custom(isFunction, { error: 'expected a function' }).optional(),
  })
  .refine(({ tools, module }) => (tools === undefined) !== (module === undefined), {
    error: "expected either 'tools' or 'module'",
  });

/** An MCP provider has the type of its class in the Python tool: one with a command is a `stdio` provider. */
const toolProvider = readsAs(
  z.discriminatedUnion('providerType', [...mcpProvider.options, localProvider]),
  (provider) => {
    if ('providerType' in provider || 'provider_type' in provider) return provider;
    if ('command' in provider) return { ...provider, providerType: 'stdio' };
    return 'endpoint' in provider ? { ...provider, providerType: 'sse' } : provider;
  },
);

// A schema of its own: one in a file has its type written.
const programProvider = readsAs(z.strictObject(executionProvider.shape), (provider) => ({
  providerType: 'execution',
  ...provider,
}));

const givenProviders = z.strictObject({
  providers: z.strictObject({
    models: z.array(modelProvider),
    tools: z.array(toolProvider),
    programs: z.array(programProvider),
  }),
});

/**
 * Checks the providers of a call as those of a file, fills in their defaults, and splits them into servers and local tools.
 * Throws `config/invalid`.
 */
export function parseProviders(
  { models = [], tools = [], programs = [] }: GivenProviders,
  call: string,
): SplitProviders {
  const options = { source: `The call of ${call}`, spelling: 'camel', isPrivate: true } as const;
  const { providers } = parseForm(givenProviders, { providers: { models, tools, programs } }, options);
  const { models: given, tools: reached } = providers;
  const violations = [
    ...endpointMistakes(given, (index) => `providers.models[${index}].endpoint`),
    ...endpointMistakes(reached, (index) => `providers.tools[${index}].endpoint`),
  ];
  if (violations.length > 0) throw new DataDesignerError('config/invalid', { source: options.source, violations });
  const local = tools.filter((provider) => provider.providerType === 'local');
  const first = new Map(local.toReversed().map((provider) => [provider.name, provider]));
  const servers = reached.filter((provider) => provider.providerType !== 'local');
  const commands = providers.programs.length === 0 ? {} : { programs: providers.programs };
  return { servers: { models: given, tools: servers, ...commands }, local: [...first.values()] };
}
