import { fileURLToPath } from 'node:url';
import type { ModelProvider, Providers } from '@data-designer/config';
import type { ModelServer } from '@data-designer/engine';
import { demoToolsProgram, simulatorProgram } from '@data-designer/simulator';

/** Whether a program's file is TypeScript source, which finds its imports by a condition of its own. */
const execArgv = demoToolsProgram.endsWith('.ts') ? ['--conditions=@data-designer/source'] : [];

/** The model provider `simulator`: answers are made up, so that a config can be tried without a key. */
export const builtInModelServers: readonly ModelServer[] = [
  { name: 'simulator', program: simulatorProgram, args: ['--port', '0', '--end-with-stdin'] },
];

const hosted = (name: string, endpoint: string, key: string | null): ModelProvider => ({
  name,
  endpoint,
  providerType: 'openai',
  apiKey: key === null ? null : `\${${key}}`,
  extraBody: null,
  extraHeaders: null,
});

/**
 * Providers that a config may name without more ado: well-known endpoints, which take their keys from the environment
 * (addresses and names as NeMo Data Designer has them), servers on this machine at their usual ports, and the MCP provider
 * `demo-tools`: get_fact, add_numbers and list_topics over stdio.
 */
export const builtInProviders: Providers = {
  models: [
    hosted('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
    hosted('nvidia', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY'),
    hosted('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
    hosted('vllm', 'http://127.0.0.1:8000/v1', null),
    hosted('ollama', 'http://127.0.0.1:11434/v1', null),
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
