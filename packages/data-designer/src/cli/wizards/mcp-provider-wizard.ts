import type { HomeChange, MCPProvider } from '@data-designer/config';
import { askMenu } from './entry-menu.ts';
import { printReport } from './print-change.ts';
import { removeProviders, saveProvider } from './save-change.ts';
import { askTexts, isSomething, tellFailure } from './prompts.ts';
import { isAddress, pairs } from '../flags/config-flags.ts';

type Prompts = typeof import('@inquirer/prompts');
type Fields = Readonly<Record<string, unknown>>;

/** Asks for MCP providers of the home folder: which to add, change and delete. */
export function askProviders(): Promise<void> {
  return askMenu({
    file: 'mcpProviders',
    noun: 'provider',
    add: addProvider,
    update: updateProvider,
    remove: async (names) => printReport(await removeProviders(names), { json: false }),
  });
}

async function addProvider(prompts: Prompts): Promise<void> {
  const providerType = await prompts.select<MCPProvider['providerType']>({
    message: 'How is it reached?',
    choices: [
      { value: 'stdio', name: 'It is a program to start (stdio)' },
      { value: 'streamable_http', name: 'It is at an address (streamable HTTP)' },
      { value: 'sse', name: 'It is at an address, the older way (SSE)' },
    ],
  });
  const name = await prompts.input({ message: 'Name that configs use', validate: isSomething });
  const rest = providerType === 'stdio' ? await askProgram(prompts) : await askAddress(prompts);
  await connectAndSave(prompts, { kind: 'add', fields: { name, providerType, ...rest } }, name);
}

async function updateProvider(prompts: Prompts, name: string): Promise<void> {
  const { readHome } = await import('@data-designer/config');
  const provider = readHome().providers.tools.find((one) => one.name === name) as MCPProvider;
  const fields =
    provider.providerType === 'stdio' ? await askProgram(prompts, provider) : await askAddress(prompts, provider);
  await connectAndSave(prompts, { kind: 'update', name, fields }, name);
}

async function askProgram(prompts: Prompts, before?: Extract<MCPProvider, { providerType: 'stdio' }>): Promise<Fields> {
  const { input } = prompts;
  const command = await input({ message: 'Program', validate: isSomething, ...startingWith(before?.command) });
  const args = await askList(prompts, 'Argument', before?.args.length);
  const variables = await askList(prompts, 'Variable as KEY=VALUE', before && Object.keys(before.env).length);
  const env = variables?.reduce<Readonly<Record<string, string>>>((all, text) => pairs(text, all), {});
  return { command, ...(args && { args }), ...(env && { env }) };
}

async function askAddress(prompts: Prompts, before?: Exclude<MCPProvider, { providerType: 'stdio' }>): Promise<Fields> {
  const endpoint = await prompts.input({
    message: 'Address',
    validate: isAddress,
    ...startingWith(before?.endpoint),
  });
  const keeps = before?.apiKey ? "; empty keeps it, 'none' takes it out" : '; empty for none';
  const message = `Key, as \${NAME} or itself${keeps}`;
  const key = await prompts.password({ message, mask: true });
  if (key === '') return { endpoint };
  return { endpoint, apiKey: key === 'none' ? undefined : key };
}

/** What is asked for again begins as it was. */
function startingWith(before: string | undefined): { readonly default?: string } {
  return before === undefined ? {} : { default: before };
}

/** A list anew; undefined where it stays as it is. */
async function askList(
  prompts: Prompts,
  what: string,
  before: number | undefined,
): Promise<readonly string[] | undefined> {
  if (before !== undefined) {
    const message = `There are ${before} of this kind: ${what}. Write them anew?`;
    if (!(await prompts.confirm({ message, default: false }))) return undefined;
  }
  const texts = await askTexts(prompts, what);
  return before === undefined && texts.length === 0 ? undefined : texts;
}

/** Connects to a provider; one that cannot be reached is saved only if the user wants it all the same. */
async function connectAndSave(prompts: Prompts, change: HomeChange, name: string): Promise<void> {
  try {
    printReport(await saveProvider(change, name, { connect: true }), { json: false });
  } catch (thrown) {
    tellFailure(thrown);
    const isWanted = await prompts.confirm({ message: 'Save it all the same?', default: false });
    if (isWanted) printReport(await saveProvider(change, name, { connect: false }), { json: false });
  }
}
