import type { ToolConfig } from '@data-designer/config';
import { TOOL_DEFAULTS } from '@data-designer/core';
import { knownProviders, offeredTools, providersNamed } from './offered-tools.ts';
import { askMenu } from './entry-menu.ts';
import { printReport } from './print-change.ts';
import { removeConfigs, saveConfig } from './save-change.ts';
import { isSomething, tellFailure } from './prompts.ts';

type Prompts = typeof import('@inquirer/prompts');
type Fields = Readonly<Record<string, unknown>>;

/** Asks for tool configs of the home folder: which to add, change and delete. */
export function askToolConfigs(): Promise<void> {
  return askMenu({
    file: 'toolConfigs',
    noun: 'tool config',
    add: addConfig,
    update: updateConfig,
    remove: async (names) => printReport(await removeConfigs(names), { json: false }),
  });
}

async function addConfig(prompts: Prompts): Promise<void> {
  const toolAlias = await prompts.input({ message: 'Alias that columns use', validate: isSomething });
  const { fields, isListed } = await askFields(prompts);
  const change = { kind: 'add', fields: { toolAlias, ...fields } } as const;
  printReport(await saveConfig(change, toolAlias, { connect: isListed }), { json: false });
}

async function updateConfig(prompts: Prompts, name: string): Promise<void> {
  const { readHome } = await import('@data-designer/config');
  const before = readHome().toolConfigs.find(({ toolAlias }) => toolAlias === name);
  const { fields, isListed } = await askFields(prompts, before);
  printReport(await saveConfig({ kind: 'update', name, fields }, name, { connect: isListed }), { json: false });
}

/** What was answered, and whether the providers could be asked for their tools. */
interface Answered {
  readonly fields: Fields;
  readonly isListed: boolean;
}

async function askFields(prompts: Prompts, before?: ToolConfig): Promise<Answered> {
  const known = await knownProviders();
  const providers = await prompts.checkbox({
    message: 'Providers of its tools',
    required: true,
    choices: known.map(({ name }) => ({ value: name, checked: before?.providers.includes(name) ?? false })),
  });
  const offered = await listOffered(providers);
  const allowTools = await askAllowed(prompts, offered, before);
  const maxToolCallTurns = await prompts.number({
    message: 'Answers that may ask for tools',
    default: before?.maxToolCallTurns ?? TOOL_DEFAULTS.maxToolCallTurns,
    min: 1,
    required: true,
  });
  const timeoutSec = await prompts.number({
    message: 'Seconds that one call may take',
    default: before?.timeoutSec ?? TOOL_DEFAULTS.timeoutSec,
    min: 0.001,
    step: 'any',
    required: true,
  });
  const fields = { providers, allowTools, maxToolCallTurns, timeoutSec };
  return { fields, isListed: offered !== undefined };
}

/** The tools of providers; undefined where one cannot be reached. */
async function listOffered(providers: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    return [...(await offeredTools(await providersNamed(providers))).values()].flat();
  } catch (thrown) {
    tellFailure(thrown);
    return undefined;
  }
}

/** The tools that may be called; undefined for all. */
async function askAllowed(
  { checkbox, confirm, input }: Prompts,
  offered: readonly string[] | undefined,
  before?: ToolConfig,
): Promise<readonly string[] | undefined> {
  const everything = before ? before.allowTools === null : true;
  const message = 'May all tools be called, those that the providers add later too?';
  if (await confirm({ message, default: everything })) return undefined;
  if (offered === undefined) {
    const text = await input({ message: 'Tools that may be called, with spaces between', validate: isSomething });
    return text.trim().split(/\s+/);
  }
  const isChecked = (tool: string): boolean => before?.allowTools?.includes(tool) ?? false;
  const choices = offered.map((tool) => ({ value: tool, checked: isChecked(tool) }));
  return checkbox({ message: 'Tools that may be called', required: true, choices });
}
