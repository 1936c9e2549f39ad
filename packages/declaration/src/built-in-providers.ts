import { fileURLToPath } from 'node:url';
import { type ModelProvider, type Providers, stockModelProviders } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import type { ModelServer } from '@data-designer/engine';
import { demoToolNames, demoToolsProgram, simulatorProgram } from '@data-designer/simulator';

/** TypeScript sources resolve workspace packages by this condition. */
const execArgv = demoToolsProgram.endsWith('.ts') ? ['--conditions=@data-designer/source'] : [];

/** The model provider `simulator`, which makes answers up: a config can be tried without a key. */
export const builtInModelServers: readonly ModelServer[] = [
  { name: 'simulator', program: simulatorProgram, args: ['--port', '0', '--end-with-stdin'] },
];

const local = (name: string, endpoint: string): ModelProvider => ({
  name,
  endpoint,
  providerType: 'openai',
  apiKey: null,
  extraBody: null,
  extraHeaders: null,
});

/**
 * Providers that need no configuration: hosted ones with keys from the environment, local servers at their default ports,
 * and the MCP provider `demo-tools` (get_fact, add_numbers and list_topics over stdio).
 */
export const builtInProviders: Providers = {
  models: [
    ...stockModelProviders,
    local('vllm', 'http://127.0.0.1:8000/v1'),
    local('ollama', 'http://127.0.0.1:11434/v1'),
  ],
  tools: [
    {
      name: 'demo-tools',
      providerType: 'stdio',
      command: process.execPath,
      args: [...execArgv, fileURLToPath(demoToolsProgram)],
      env: {},
    },
  ],
};

/** The tools of a built-in tool provider; undefined for any other. */
export function builtInTools({ providerType, ...provider }: Providers['tools'][number]): readonly string[] | undefined {
  if (providerType !== 'stdio' || !('args' in provider)) return undefined;
  return provider.args.includes(fileURLToPath(demoToolsProgram)) ? demoToolNames : undefined;
}

/** The names of built-in simulated providers, except names that the user's providers take. */
export function simulatedProviders({
  models,
}: {
  readonly models: readonly { readonly name: string }[];
}): ReadonlySet<string> {
  const builtIn = new Set(builtInModelServers.map(({ name }) => name));
  return builtIn.difference(new Set(models.map(({ name }) => name)));
}

/** Whether a plan uses a simulated provider. */
export function isSimulated({ resources }: Pick<Plan, 'resources'>, providers: Providers): boolean {
  const simulated = simulatedProviders(providers);
  return resources.some(({ kind, provider }) => kind === 'model' && simulated.has(provider));
}
