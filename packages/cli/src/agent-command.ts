import { Argument, Command } from 'commander';
import type { KnownCommand, LocalState } from './agent/agent-context.ts';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { asGroup, examples, withPlugins } from './flags/common-flags.ts';
import { withChoices } from './flags/parse-flags.ts';

interface AgentFlags {
  readonly plugins: readonly string[];
  readonly json: boolean;
}

/** The parts of the local state, by the names that the command line has for them. */
const STATE_PARTS = {
  'model-aliases': 'modelAliases',
  'persona-datasets': 'personaDatasets',
} as const satisfies Record<string, keyof LocalState>;

type StatePart = keyof typeof STATE_PARTS;

/** `data-designer agent`: tells coding agents what configs may contain, and what this machine has. */
export function agentCommand(): Command {
  const context = withPlugins(withJson(new Command('context')))
    .description('Print what an agent needs at the start: the types, the state of this machine and the commands.')
    .action(printContext);
  const types = withPlugins(withJson(new Command('types')))
    .description(
      'Print the types of one family or of all, with their purpose and keys; with --json, their JSON Schemas.',
    )
    .argument(
      '[family]',
      'Family: columns, constraints, environments, processors, samplers, seeds or validators (default: all)',
    )
    .addHelpText('after', examples('agent types', 'agent types samplers --json', 'agent types --plugins ./own.ts'))
    .action(printTypes);
  const state = withJson(new Command('state'))
    .description('Print the models of the home folder, whether their keys are set, and the installed personas.')
    .addArgument(withChoices(new Argument('[part]', 'Part to print (default: all)'), Object.keys(STATE_PARTS)))
    .action(printState);
  const command = asGroup(new Command('agent')).description('Print what a coding agent must know to write configs.');
  for (const one of [context, types, state]) command.addCommand(one);
  return command;
}

async function printContext(flags: AgentFlags, self: Command): Promise<void> {
  const { agentContext, loadFamilies } = await import('./agent/agent-context.ts');
  const { printAgentContext } = await import('./agent/print-agent-context.ts');
  const families = await loadFamilies(flags.plugins);
  const context = agentContext(families, await readState(), commandsOf(rootOf(self)));
  if (flags.json) printJson(context);
  else process.stdout.write(`${printAgentContext(context)}\n`);
}

async function printTypes(family: string | undefined, flags: AgentFlags): Promise<void> {
  const { chooseFamilies, loadFamilies, packageFiles } = await import('./agent/agent-context.ts');
  const text = await import('./agent/print-agent-context.ts');
  const families = chooseFamilies(await loadFamilies(flags.plugins), family);
  const files = packageFiles();
  if (flags.json) printJson({ files, families });
  else process.stdout.write(`${text.printTypes(families, files)}\n`);
}

async function printState(part: StatePart | undefined, flags: Pick<AgentFlags, 'json'>): Promise<void> {
  const text = await import('./agent/print-agent-context.ts');
  const state = await readState();
  const chosen = part === undefined ? state : { [STATE_PARTS[part]]: state[STATE_PARTS[part]] };
  if (flags.json) printJson(chosen);
  else process.stdout.write(`${text.printState(chosen)}\n`);
}

/** Reads the state of this machine; warnings about the home folder go to standard error. */
async function readState(): Promise<LocalState> {
  const { readLocalState } = await import('./agent/agent-context.ts');
  const { state, warnings } = readLocalState();
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  return state;
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** The commands that do something, each with its arguments; dialogues are left out, as agents cannot use them. */
function commandsOf(command: Command, before = command.name()): readonly KnownCommand[] {
  return command.commands.flatMap((inner) => {
    const words = `${before} ${inner.name()}`;
    if (inner.commands.length > 0) return commandsOf(inner, words);
    return [{ command: [words, ...inner.registeredArguments.map(shown)].join(' '), description: inner.description() }];
  });
}

function shown(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
