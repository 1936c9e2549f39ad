import type { MCPProvider, ModelProvider, Providers } from '@data-designer/config';
import type { LocalToolProvider } from '@data-designer/mcp';

/** Model and tool providers of a program. Unlike in files, tools may be functions. */
export interface GivenProviders {
  /** Model providers. */
  readonly models: readonly ModelProvider[];
  /** MCP providers, and functions or modules as tools. */
  readonly tools: readonly (MCPProvider | LocalToolProvider)[];
}

/** Providers split into servers, and functions and modules of the program. */
export interface SplitProviders {
  readonly servers: Providers;
  /** The first provider of each name. */
  readonly local: readonly LocalToolProvider[];
}

/** Splits providers into servers and local tools. */
export function splitProviders({ models, tools }: GivenProviders): SplitProviders {
  const local = tools.filter((provider) => provider.providerType === 'local');
  const first = new Map(local.toReversed().map((provider) => [provider.name, provider]));
  return {
    servers: { models, tools: tools.filter((provider) => provider.providerType !== 'local') },
    local: [...first.values()],
  };
}
