import type { ToolConfig } from '@data-designer/config';
import { TOOL_DEFAULTS } from '@data-designer/core';
import { knownProviders, offeredTools, providersNamed } from './offered-tools.ts';
import { askMenu } from './entry-menu.ts';
import { type EntryFields, printChange, saveEntry } from '../save-entry.ts';
import { printFailure, type Prompts, requireText } from './prompts.ts';

/** The wizard that adds, changes and deletes tool configs of the home folder. */
export function askToolConfigs(): Promise<void> {
  return askMenu({
    file: 'toolConfigs',
    noun: 'tool config',
    add: addConfig,
    update: updateConfig,
  });
}

async function addConfig(prompts: Prompts): Promise<void> {
  const toolAlias = await prompts.input({ message: 'Tool alias (used in columns)', validate: requireText });
  const { fields, isListed } = await askFields(prompts);
  const saved = await saveEntry('toolConfigs', { kind: 'add', name: toolAlias, fields }, { connect: isListed });
  printChange(saved, { json: false });
}

async function updateConfig(prompts: Prompts, name: string): Promise<void> {
  const { readHome } = await import('@data-designer/config');
  const before = readHome().toolConfigs.find(({ toolAlias }) => toolAlias === name);
  const { fields, isListed } = await askFields(prompts, before);
  const saved = await saveEntry('toolConfigs', { kind: 'update', name, fields }, { connect: isListed });
  printChange(saved, { json: false });
}

/** The answered fields, and whether the providers could list their tools. */
interface Answers {
  readonly fields: EntryFields;
  readonly isListed: boolean;
}

async function askFields(prompts: Prompts, before?: ToolConfig): Promise<Answers> {
  const known = await knownProviders();
  const providers = await prompts.checkbox({
    message: 'Tool providers',
    required: true,
    choices: known.map(({ name }) => ({ value: name, checked: before?.providers.includes(name) ?? false })),
  });
  const offered = await listOffered(providers);
  const allowTools = await askAllowed(prompts, offered, before);
  const maxToolCallTurns = await prompts.number({
    message: 'Maximum turns with tool calls',
    default: before?.maxToolCallTurns ?? TOOL_DEFAULTS.maxToolCallTurns,
    min: 1,
    required: true,
  });
  const timeoutSec = await prompts.number({
    message: 'Time limit per call in seconds',
    default: before?.timeoutSec ?? TOOL_DEFAULTS.timeoutSec,
    min: 0.001,
    step: 'any',
    required: true,
  });
  const fields = { providers, allowTools, maxToolCallTurns, timeoutSec };
  return { fields, isListed: offered !== undefined };
}

/** The tools of providers; undefined if one cannot be reached. */
async function listOffered(providers: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    return [...(await offeredTools(await providersNamed(providers))).values()].flat();
  } catch (thrown) {
    printFailure(thrown);
    return undefined;
  }
}

/** Asks for the allowed tools; undefined for all. */
async function askAllowed(
  { checkbox, confirm, input }: Prompts,
  offered: readonly string[] | undefined,
  before?: ToolConfig,
): Promise<readonly string[] | undefined> {
  const allowsAll = before ? before.allowTools === null : true;
  const message = 'Allow all tools, including tools that the providers add later?';
  if (await confirm({ message, default: allowsAll })) return undefined;
  if (offered === undefined) {
    const text = await input({ message: 'Allowed tools, separated by spaces', validate: requireText });
    return text.trim().split(/\s+/);
  }
  const isChecked = (tool: string): boolean => before?.allowTools?.includes(tool) ?? false;
  const choices = offered.map((tool) => ({ value: tool, checked: isChecked(tool) }));
  return checkbox({ message: 'Allowed tools', required: true, choices });
}
