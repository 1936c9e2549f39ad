import { fileURLToPath } from 'node:url';
import type { Providers } from '@data-designer/config';
import type { ModelServer } from '@data-designer/engine';
import { demoToolsProgram, simulatorProgram } from '@data-designer/simulator';

/** Whether a program's file is TypeScript source, which finds its imports by a condition of its own. */
const execArgv = demoToolsProgram.endsWith('.ts') ? ['--conditions=@data-designer/source'] : [];

/** The model provider `simulator`: answers are made up, so that a config can be tried without a key. */
export const builtInModelServers: readonly ModelServer[] = [
  { name: 'simulator', program: simulatorProgram, args: ['--port', '0', '--end-with-stdin'] },
];

/** The MCP provider `demo-tools`: get_fact, add_numbers and list_topics over stdio. */
export const builtInProviders: Providers = {
  models: [],
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
