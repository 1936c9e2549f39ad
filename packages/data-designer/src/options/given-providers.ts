import type { MCPProvider, ModelProvider, Providers } from '@data-designer/config';
import type { LocalToolProvider } from '@data-designer/mcp';

/** Providers as a program gives them: its tools may be functions of its own, which no file can name. */
export interface GivenProviders {
  readonly models: readonly ModelProvider[];
  readonly tools: readonly (MCPProvider | LocalToolProvider)[];
}

/** Providers by who runs them: servers that can be named in a file, and functions and modules of the program. */
export interface SplitProviders {
  readonly servers: Providers;
  /** The first of each name. */
  readonly local: readonly LocalToolProvider[];
}

/** Parts what stands in one list. */
export function splitProviders({ models, tools }: GivenProviders): SplitProviders {
  const local = tools.filter((provider) => provider.providerType === 'local');
  const first = new Map(local.toReversed().map((provider) => [provider.name, provider]));
  return {
    servers: { models, tools: tools.filter((provider) => provider.providerType !== 'local') },
    local: [...first.values()],
  };
}
