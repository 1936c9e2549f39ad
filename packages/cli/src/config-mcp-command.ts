import { type Command, Option } from 'commander';
import type { MCPProvider } from '@data-designer/config';
import { type ChangeFlags, entryCommand } from './entry-command.ts';
import { above, address, atLeast, collect, pairs, withChoices } from './flags/parse-flags.ts';

interface ProviderFlags extends ChangeFlags {
  readonly type?: MCPProvider['providerType'];
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly endpoint?: string;
  readonly apiKey?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly toolPrefix?: string;
  readonly maxSessions?: number;
  readonly maxParallelCalls?: number;
  readonly startTimeout?: number;
  readonly maxMessageMb?: number;
}

/** `data-designer config mcp`: adds, changes and deletes MCP providers of the home folder. */
export function mcpProvidersCommand(): Command {
  return entryCommand<ProviderFlags>({
    command: 'mcp',
    file: 'mcpProviders',
    noun: 'MCP provider',
    addDescription: 'Connect to an MCP provider, list its tools, and add it.',
    nameFlag: 'name',
    nameDescription: 'Name of the provider in configs',
    clearable: {
      arg: 'args',
      env: 'env',
      cwd: 'cwd',
      'api-key': 'apiKey',
      header: 'headers',
      'tool-prefix': 'toolPrefix',
      'max-sessions': 'maxSessions',
      'max-parallel-calls': 'maxParallelCalls',
      'start-timeout': 'startTimeoutSec',
      'max-message-mb': 'maxMessageMb',
    },
    withFlags: withProviderFlags,
    withAddFlags: (command) => {
      const type = new Option('--type <type>', 'Transport of the provider');
      return command.addOption(withChoices(type, ['stdio', 'sse', 'streamable_http']).makeOptionMandatory());
    },
    missing: (flags) => {
      const needed = flags.type === 'stdio' ? 'command' : 'endpoint';
      return flags[needed] === undefined ? `a provider of type ${flags.type} needs --${needed}` : undefined;
    },
    fieldsOf: ({ type, command, arg, env, cwd, endpoint, apiKey, header, ...limits }) => {
      const { toolPrefix, maxSessions, maxParallelCalls, startTimeout: startTimeoutSec, maxMessageMb } = limits;
      const stdio = { command, args: arg, env, cwd };
      const remote = { endpoint, apiKey, headers: header };
      const calls = { toolPrefix, maxSessions, maxParallelCalls, startTimeoutSec, maxMessageMb };
      return { providerType: type, ...stdio, ...remote, ...calls };
    },
    runWizard: async () => (await import('./wizards/mcp-provider-wizard.ts')).askProviders(),
  });
}

function withProviderFlags(command: Command): Command {
  return command
    .option('--command <program>', 'stdio: program to start')
    .option('--arg <argument>', 'stdio: argument of the program; repeatable', collect)
    .option('--env <KEY=VALUE>', 'stdio: environment variable of the program; repeatable', pairs)
    .option('--cwd <folder>', 'stdio: working folder of the program')
    .option('--endpoint <address>', 'sse, streamable_http: address of the server', address)
    .option('--api-key <key>', "API key: '${NAME}', the name of an environment variable, or the key itself")
    .option('--header <KEY=VALUE>', 'HTTP header of every request; repeatable', pairs)
    .option('--tool-prefix <prefix>', 'Prefix for the tool names that models see')
    .option('--max-sessions <n>', 'Maximum parallel sessions', atLeast(1))
    .option('--max-parallel-calls <n>', 'Maximum parallel calls', atLeast(1))
    .option('--start-timeout <seconds>', 'Time limit for starting the server and listing its tools', above(0))
    .option('--max-message-mb <n>', 'Largest message that the server may send, in MiB', above(0));
}
