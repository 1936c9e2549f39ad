import { Command } from 'commander';
import { type ChangeFlags, cleared, onlyGiven, positive, repeated, withChangeFlags } from './flags/config-flags.ts';
import { printReport } from './wizards/print-change.ts';
import { removeConfigs, saveConfig } from './wizards/save-change.ts';
import { requireTerminal } from './wizards/prompts.ts';
import { atLeast } from './flags/common-flags.ts';

interface ToolFlags extends ChangeFlags {
  readonly alias: string;
  readonly provider?: readonly string[];
  readonly allow?: readonly string[];
  readonly maxTurns?: number;
  readonly timeout?: number;
  readonly maxResultChars?: number;
  readonly clear?: readonly string[];
}

/** Fields that a tool config may do without, by the names of their options. */
const CLEARABLE = {
  allow: 'allowTools',
  'max-turns': 'maxToolCallTurns',
  timeout: 'timeoutSec',
  'max-result-chars': 'maxResultChars',
} as const;

/** `data-designer config tools`: adds, changes and removes tool configs of the home folder. */
export function toolConfigsCommand(): Command {
  const command = new Command('tools').description('Add, change or delete tool configs: asks, or does what flags say.');
  const add = withToolFlags(new Command('add'))
    .description('Add a tool config, once its providers have listed the tools it allows.')
    .requiredOption('--alias <alias>', 'the name that columns use')
    .action(addConfig);
  const update = withToolFlags(new Command('update'))
    .description('Change what is given of a tool config; lists are replaced as a whole.')
    .argument('<alias>')
    .option('--clear <field>', `take a field out (${Object.keys(CLEARABLE).join(', ')}); may be repeated`, repeated)
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
    .option('--provider <name>', 'a provider of its tools; may be repeated', repeated)
    .option('--allow <tool>', 'a tool that may be called; may be repeated, all unless given', repeated)
    .option('--max-turns <n>', 'answers that may ask for tools', atLeast(1))
    .option('--timeout <seconds>', 'what one call may take', positive)
    .option('--max-result-chars <n>', 'characters of a result that the model is shown', atLeast(1));
}

function fieldsOf({ provider, allow, maxTurns, timeout, maxResultChars }: ToolFlags) {
  const limits = { maxToolCallTurns: maxTurns, timeoutSec: timeout, maxResultChars };
  return onlyGiven({ providers: provider, allowTools: allow, ...limits });
}

async function addConfig(flags: ToolFlags, command: Command): Promise<void> {
  const { alias, provider } = flags;
  if (provider === undefined) command.error('error: a tool config needs a --provider');
  const change = { kind: 'add', fields: { toolAlias: alias, ...fieldsOf(flags) } } as const;
  printReport(await saveConfig(change, alias, flags), flags);
}

async function updateConfig(alias: string, flags: ToolFlags, command: Command): Promise<void> {
  const fields = { ...fieldsOf(flags), ...cleared(command, flags.clear, CLEARABLE) };
  printReport(await saveConfig({ kind: 'update', name: alias, fields }, alias, flags), flags);
}

async function deleteConfigs(aliases: readonly string[], flags: { readonly json: boolean }): Promise<void> {
  printReport(await removeConfigs(aliases), flags);
}
