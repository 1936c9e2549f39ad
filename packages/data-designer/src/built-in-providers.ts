import { fileURLToPath } from 'node:url';
import { type ModelProvider, type Providers, stockModelProviders } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import type { ModelServer } from '@data-designer/engine';
import { demoToolsProgram, simulatorProgram } from '@data-designer/simulator';

/** Whether a program's file is TypeScript source, which finds its imports by a condition of its own. */
const execArgv = demoToolsProgram.endsWith('.ts') ? ['--conditions=@data-designer/source'] : [];

/** The model provider `simulator`: answers are made up, so that a config can be tried without a key. */
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
 * Providers that a config may name without more ado: the stock ones, which take their keys from the environment, servers
 * on this machine at their usual ports, and the MCP provider `demo-tools`: get_fact, add_numbers and list_topics over
 * stdio.
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

/** The built-in providers that make their answers up, and ask nothing for them: less those whose names others have. */
export function simulatedProviders({ models }: Pick<Providers, 'models'>): ReadonlySet<string> {
  const builtIn = new Set(builtInModelServers.map(({ name }) => name));
  return builtIn.difference(new Set(models.map(({ name }) => name)));
}

/** Whether a plan has answers made up. */
export function isSimulated({ resources }: Pick<Plan, 'resources'>, providers: Providers): boolean {
  const simulated = simulatedProviders(providers);
  return resources.some(({ kind, provider }) => kind === 'model' && simulated.has(provider));
}
