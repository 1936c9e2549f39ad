import type { HomeChange, MCPProvider, ToolConfig } from '@data-designer/config';
import { allowedTools, offeredTools } from './offered-tools.ts';
import type { WizardReport } from './print-change.ts';

/** Connects to a provider as it will be, unless told not to, and saves it then. */
export async function saveProvider(
  change: HomeChange,
  name: string,
  { connect }: { readonly connect: boolean },
): Promise<WizardReport> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'mcpProviders', change);
  const provider = edit.entries.find((entry) => entry.name === name) as MCPProvider;
  const tools = connect ? ((await offeredTools([provider])).get(name) ?? []) : null;
  edit.save();
  const told = change.kind === 'add' ? 'added' : 'updated';
  return { file: edit.path, change: told, names: [name], tools, stillNamedBy: [] };
}

/** Deletes providers, and tells which tool configs still name one. */
export async function removeProviders(names: readonly string[]): Promise<WizardReport> {
  const { editHome, homeFolder, readHome } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'mcpProviders', { kind: 'delete', names });
  edit.save();
  const { toolConfigs } = readHome();
  const naming = toolConfigs.filter(({ providers }) => providers.some((provider) => names.includes(provider)));
  const stillNamedBy = naming.map(({ toolAlias }) => toolAlias);
  return { file: edit.path, change: 'deleted', names, tools: null, stillNamedBy };
}

/** Holds a tool config against what its providers offer, unless told not to, and saves it then. */
export async function saveConfig(
  change: HomeChange,
  alias: string,
  { connect }: { readonly connect: boolean },
): Promise<WizardReport> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'toolConfigs', change);
  const config = edit.entries.find(({ toolAlias }) => toolAlias === alias) as ToolConfig;
  const tools = connect ? await allowedTools(config) : null;
  edit.save();
  const told = change.kind === 'add' ? 'added' : 'updated';
  return { file: edit.path, change: told, names: [alias], tools, stillNamedBy: [] };
}

/** Deletes tool configs. */
export async function removeConfigs(names: readonly string[]): Promise<WizardReport> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'toolConfigs', { kind: 'delete', names });
  edit.save();
  return { file: edit.path, change: 'deleted', names, tools: null, stillNamedBy: [] };
}
