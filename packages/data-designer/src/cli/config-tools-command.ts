import { Command } from 'commander';
import { type ChangeFlags, cleared, onlyGiven, repeated, withChangeFlags } from './flags/config-flags.ts';
import { printChange, removeConfigs, saveConfig } from './wizards/save-change.ts';
import { requireTerminal } from './wizards/prompts.ts';
import { above, atLeast } from './flags/common-flags.ts';

interface ToolFlags extends ChangeFlags {
  readonly alias: string;
  readonly provider?: readonly string[];
  readonly allow?: readonly string[];
  readonly maxTurns?: number;
  readonly timeout?: number;
  readonly maxResultChars?: number;
  readonly clear?: readonly string[];
}

/** The optional fields of a tool config, by the names of their options. */
const CLEARABLE = {
  allow: 'allowTools',
  'max-turns': 'maxToolCallTurns',
  timeout: 'timeoutSec',
  'max-result-chars': 'maxResultChars',
} as const;

/** `data-designer config tools`: adds, changes and deletes tool configs of the home folder. */
export function toolConfigsCommand(): Command {
  const command = new Command('tools').description('Add, change or delete tool configs, interactively or with flags.');
  const add = withToolFlags(new Command('add'))
    .description('Check a tool config against the tools of its providers, and add it.')
    .requiredOption('--alias <alias>', 'name that columns use')
    .action(addConfig);
  const update = withToolFlags(new Command('update'))
    .description('Change fields of a tool config; lists are replaced as a whole.')
    .argument('<alias>')
    .option('--clear <field>', `remove a field (${Object.keys(CLEARABLE).join(', ')}); may be repeated`, repeated)
    .action(updateConfig);
  const remove = new Command('delete')
    .description('Delete tool configs.')
    .argument('<aliases...>')
    .option('--json', 'print one JSON object instead of text', false)
    .action(deleteConfigs);
  for (const one of [add, update, remove]) command.addCommand(one);
  return command.action(async () => {
    requireTerminal(command, 'tools');
    const { askToolConfigs } = await import('./wizards/tool-config-wizard.ts');
    await askToolConfigs();
  });
}

function withToolFlags(command: Command): Command {
  return withChangeFlags(command)
    .option('--provider <name>', 'provider of its tools; may be repeated', repeated)
    .option('--allow <tool>', 'tool that models may call; may be repeated (default: all)', repeated)
    .option('--max-turns <n>', 'maximum turns with tool calls', atLeast(1))
    .option('--timeout <seconds>', 'time limit of one call', above(0))
    .option('--max-result-chars <n>', 'maximum characters of a result that the model sees', atLeast(1));
}

function fieldsOf({ provider, allow, maxTurns, timeout, maxResultChars }: ToolFlags) {
  const limits = { maxToolCallTurns: maxTurns, timeoutSec: timeout, maxResultChars };
  return onlyGiven({ providers: provider, allowTools: allow, ...limits });
}

async function addConfig(flags: ToolFlags, command: Command): Promise<void> {
  const { alias, provider } = flags;
  if (provider === undefined) command.error('error: a tool config needs a --provider');
  const change = { kind: 'add', fields: { toolAlias: alias, ...fieldsOf(flags) } } as const;
  printChange(await saveConfig(change, alias, flags), flags);
}

async function updateConfig(alias: string, flags: ToolFlags, command: Command): Promise<void> {
  const fields = { ...fieldsOf(flags), ...cleared(command, flags.clear, CLEARABLE) };
  printChange(await saveConfig({ kind: 'update', name: alias, fields }, alias, flags), flags);
}

async function deleteConfigs(aliases: readonly string[], flags: { readonly json: boolean }): Promise<void> {
  printChange(await removeConfigs(aliases), flags);
}
