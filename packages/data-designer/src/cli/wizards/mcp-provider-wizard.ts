import type { MCPProvider } from '@data-designer/config';
import { askMenu } from './entry-menu.ts';
import { type EntryChange, type EntryFields, printChange, saveEntry } from '../save-entry.ts';
import { askTexts, printFailure, type Prompts, requireText } from './prompts.ts';
import { checkAddress, pairs } from '../flags/config-flags.ts';

/** The wizard that adds, changes and deletes MCP providers of the home folder. */
export function askProviders(): Promise<void> {
  return askMenu({
    file: 'mcpProviders',
    noun: 'MCP provider',
    add: addProvider,
    update: updateProvider,
  });
}

async function addProvider(prompts: Prompts): Promise<void> {
  const providerType = await prompts.select<MCPProvider['providerType']>({
    message: 'How do you connect to it?',
    choices: [
      { value: 'stdio', name: 'Start a program (stdio)' },
      { value: 'streamable_http', name: 'Connect to an address (streamable HTTP)' },
      { value: 'sse', name: 'Connect to an address (SSE, deprecated)' },
    ],
  });
  const name = await prompts.input({ message: 'Provider name (used in configs)', validate: requireText });
  const rest = providerType === 'stdio' ? await askProgram(prompts) : await askAddress(prompts);
  await connectAndSave(prompts, { kind: 'add', name, fields: { providerType, ...rest } });
}

async function updateProvider(prompts: Prompts, name: string): Promise<void> {
  const { readHome } = await import('@data-designer/config');
  const provider = readHome().providers.tools.find((one) => one.name === name);
  if (!provider) return;
  const fields =
    provider.providerType === 'stdio' ? await askProgram(prompts, provider) : await askAddress(prompts, provider);
  await connectAndSave(prompts, { kind: 'update', name, fields });
}

async function askProgram(
  prompts: Prompts,
  before?: Extract<MCPProvider, { providerType: 'stdio' }>,
): Promise<EntryFields> {
  const { input } = prompts;
  const command = await input({ message: 'Program to start', validate: requireText, ...defaultOf(before?.command) });
  const args = await askList(prompts, 'Argument', before?.args.length);
  const variables = await askList(
    prompts,
    'Environment variable (KEY=VALUE)',
    before && Object.keys(before.env).length,
  );
  const env = variables?.reduce<Readonly<Record<string, string>>>((all, text) => pairs(text, all), {});
  return { command, ...(args && { args }), ...(env && { env }) };
}

async function askAddress(
  prompts: Prompts,
  before?: Exclude<MCPProvider, { providerType: 'stdio' }>,
): Promise<EntryFields> {
  const endpoint = await prompts.input({
    message: 'Server address',
    validate: checkAddress,
    ...defaultOf(before?.endpoint),
  });
  const empty = before?.apiKey ? "empty to keep it, 'none' to remove it" : 'empty for none';
  const message = `API key or \${VARIABLE} (${empty})`;
  const key = await prompts.password({ message, mask: true });
  if (key === '') return { endpoint };
  return { endpoint, apiKey: key === 'none' ? undefined : key };
}

/** The current value as the default of a prompt. */
function defaultOf(before: string | undefined): { readonly default?: string } {
  return before === undefined ? {} : { default: before };
}

/** Asks for a new list; undefined to keep the current one. */
async function askList(
  prompts: Prompts,
  label: string,
  before: number | undefined,
): Promise<readonly string[] | undefined> {
  if (before !== undefined) {
    const message = `${label}: ${before} set. Replace them?`;
    if (!(await prompts.confirm({ message, default: false }))) return undefined;
  }
  const texts = await askTexts(prompts, label);
  return before === undefined && texts.length === 0 ? undefined : texts;
}

/** Connects to a provider and saves it; if that fails, the user decides whether to save it anyway. */
async function connectAndSave(prompts: Prompts, change: EntryChange): Promise<void> {
  try {
    printChange(await saveEntry('mcpProviders', change, { connect: true }), { json: false });
  } catch (thrown) {
    printFailure(thrown);
    const isWanted = await prompts.confirm({ message: 'Save it anyway?', default: false });
    if (isWanted) printChange(await saveEntry('mcpProviders', change, { connect: false }), { json: false });
  }
}
