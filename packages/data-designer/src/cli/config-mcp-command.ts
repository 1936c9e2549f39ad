import { Command, Option } from 'commander';
import type { MCPProvider } from '@data-designer/config';
import {
  address,
  type ChangeFlags,
  cleared,
  onlyGiven,
  pairs,
  repeated,
  withChangeFlags,
} from './flags/config-flags.ts';
import { printChange, removeProviders, saveProvider } from './wizards/save-change.ts';
import { requireTerminal } from './wizards/prompts.ts';
import { atLeast } from './flags/common-flags.ts';

interface ProviderFlags extends ChangeFlags {
  readonly name: string;
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
  readonly clear?: readonly string[];
}

/** The optional fields of a provider, by the names of their options. */
const CLEARABLE = {
  arg: 'args',
  env: 'env',
  cwd: 'cwd',
  'api-key': 'apiKey',
  header: 'headers',
  'tool-prefix': 'toolPrefix',
  'max-sessions': 'maxSessions',
  'max-parallel-calls': 'maxParallelCalls',
} as const;

/** `data-designer config mcp`: adds, changes and deletes MCP providers of the home folder. */
export function mcpProvidersCommand(): Command {
  const command = new Command('mcp').description('Add, change or delete MCP providers, interactively or with flags.');
  const type = new Option('--type <type>', 'transport of the provider').choices(['stdio', 'sse', 'streamable_http']);
  const add = withProviderFlags(new Command('add'))
    .description('Connect to a provider, list its tools, and add it.')
    .requiredOption('--name <name>', 'name that configs use')
    .addOption(type.makeOptionMandatory())
    .action(addProvider);
  const update = withProviderFlags(new Command('update'))
    .description('Change fields of a provider; lists are replaced as a whole.')
    .argument('<name>')
    .option('--clear <field>', `remove a field (${Object.keys(CLEARABLE).join(', ')}); may be repeated`, repeated)
    .action(updateProvider);
  const remove = new Command('delete')
    .description('Delete providers.')
    .argument('<names...>')
    .option('--json', 'print one JSON object instead of text', false)
    .action(deleteProviders);
  for (const one of [add, update, remove]) command.addCommand(one);
  return command.action(async () => {
    requireTerminal(command, 'mcp');
    const { askProviders } = await import('./wizards/mcp-provider-wizard.ts');
    await askProviders();
  });
}

function withProviderFlags(command: Command): Command {
  return withChangeFlags(command)
    .option('--command <program>', 'stdio: program to start')
    .option('--arg <argument>', 'stdio: argument of the program; may be repeated', repeated)
    .option('--env <KEY=VALUE>', 'stdio: environment variable of the program; may be repeated', pairs)
    .option('--cwd <folder>', 'stdio: working folder of the program')
    .option('--endpoint <address>', 'sse, streamable_http: address of the server', address)
    .option('--api-key <key>', "API key: '${NAME}', the name of a variable, or the key itself")
    .option('--header <KEY=VALUE>', 'header of every request; may be repeated', pairs)
    .option('--tool-prefix <prefix>', 'prefix of its tool names, as models see them')
    .option('--max-sessions <n>', 'maximum parallel sessions', atLeast(1))
    .option('--max-parallel-calls <n>', 'maximum parallel calls', atLeast(1));
}

function fieldsOf(flags: ProviderFlags): Readonly<Record<string, unknown>> {
  const { type, command, arg, env, cwd, endpoint, apiKey, header } = flags;
  const { toolPrefix, maxSessions, maxParallelCalls } = flags;
  const remote = { endpoint, apiKey, headers: header };
  const stdio = { command, args: arg, env, cwd };
  return onlyGiven({ providerType: type, ...stdio, ...remote, toolPrefix, maxSessions, maxParallelCalls });
}

async function addProvider(flags: ProviderFlags, command: Command): Promise<void> {
  const { name, type } = flags;
  const needed = type === 'stdio' ? 'command' : 'endpoint';
  if (flags[needed] === undefined) command.error(`error: a provider of type ${type} needs --${needed}`);
  const change = { kind: 'add', fields: { name, ...fieldsOf(flags) } } as const;
  printChange(await saveProvider(change, name, flags), flags);
}

async function updateProvider(name: string, flags: ProviderFlags, command: Command): Promise<void> {
  const fields = { ...fieldsOf(flags), ...cleared(command, flags.clear, CLEARABLE) };
  printChange(await saveProvider({ kind: 'update', name, fields }, name, flags), flags);
}

async function deleteProviders(names: readonly string[], flags: { readonly json: boolean }): Promise<void> {
  printChange(await removeProviders(names), flags);
}
