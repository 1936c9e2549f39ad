import { Command } from 'commander';
import { withJson } from './entry-command.ts';
import { allowPrivateOption, examples, providersOption, withPlugins, withSource } from './flags/common-flags.ts';
import { collect } from './flags/parse-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import type { ListToolsFlags } from './list-tools.ts';

/** `data-designer mcp list-tools [SRC]`: lists the tools of MCP providers, also for `tools_file` and the seed `mcp-tools`. */
export function listToolsCommand(): Command {
  const command = withJson(withSource(new Command('list-tools'), '[source]'))
    .description(
      'List the tools of your MCP providers, or only of the providers that a config or a workflow uses. Each server is started once, and ends.',
    )
    .option('-o, --output <file>', 'Write the list as JSON, for tools_file of a provider and the seed type mcp-tools')
    .option('--provider <name>', 'List the tools of this provider alone; repeatable', collect, [])
    .addOption(providersOption('MCP providers'));
  withPlugins(command).addOption(allowPrivateOption('configs'));
  return refuseUnused<ListToolsFlags>(command, [
    {
      flags: ['plugins', 'allowPrivate'],
      unless: (_, [source]) => (source === undefined ? 'without a config: leave it out' : undefined),
    },
  ])
    .addHelpText(
      'after',
      examples('mcp list-tools', 'mcp list-tools facts.yaml', 'mcp list-tools --provider files -o tools.json'),
    )
    .action(async (source: string | undefined, flags: ListToolsFlags, self: Command) => {
      await (await import('./list-tools.ts')).listTools(source, flags, self);
    });
}
