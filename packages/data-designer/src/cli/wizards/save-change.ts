import type { HomeChange } from '@data-designer/config';
import { allowedTools, offeredTools } from './offered-tools.ts';
import { pluralize } from '../../printing/format-numbers.ts';
import { printJson } from '../display/print-results.ts';

/** A change of a file of the home folder. */
export interface SavedChange {
  readonly file: string;
  readonly change: 'added' | 'updated' | 'deleted';
  readonly names: readonly string[];
  /** The tools that the provider offers or the tool config allows; null with `--no-connect`. */
  readonly tools: readonly string[] | null;
  /** Tool configs that still name a deleted provider. */
  readonly stillNamedBy: readonly string[];
}

/** Prints a change as text or as one JSON object. */
export function printChange(saved: SavedChange, { json }: { readonly json: boolean }): void {
  if (json) return printJson(saved);
  const { file, change, names, tools, stillNamedBy } = saved;
  if (tools) process.stdout.write(`${pluralize(tools.length, 'tool')}: ${tools.join(', ')}\n`);
  process.stdout.write(`${change}: ${names.join(', ')} (${file})\n`);
  for (const name of stillNamedBy) process.stderr.write(`Warning: the tool config '${name}' still uses it.\n`);
}

/** Saves a provider after connecting to it, unless `connect` is false. */
export async function saveProvider(
  change: HomeChange,
  name: string,
  { connect }: { readonly connect: boolean },
): Promise<SavedChange> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'mcpProviders', change);
  const provider = edit.entries.filter((entry) => entry.name === name);
  const tools = connect ? ((await offeredTools(provider)).get(name) ?? []) : null;
  edit.save();
  const made = change.kind === 'add' ? 'added' : 'updated';
  return { file: edit.path, change: made, names: [name], tools, stillNamedBy: [] };
}

/** Deletes providers, and reports the tool configs that still name one. */
export async function removeProviders(names: readonly string[]): Promise<SavedChange> {
  const { editHome, homeFolder, readHome } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'mcpProviders', { kind: 'delete', names });
  edit.save();
  const { toolConfigs } = readHome();
  const naming = toolConfigs.filter(({ providers }) => providers.some((provider) => names.includes(provider)));
  const stillNamedBy = naming.map(({ toolAlias }) => toolAlias);
  return { file: edit.path, change: 'deleted', names, tools: null, stillNamedBy };
}

/** Saves a tool config after checking it against the tools of its providers, unless `connect` is false. */
export async function saveConfig(
  change: HomeChange,
  alias: string,
  { connect }: { readonly connect: boolean },
): Promise<SavedChange> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'toolConfigs', change);
  const config = edit.entries.find(({ toolAlias }) => toolAlias === alias);
  const tools = connect && config ? await allowedTools(config) : null;
  edit.save();
  const made = change.kind === 'add' ? 'added' : 'updated';
  return { file: edit.path, change: made, names: [alias], tools, stillNamedBy: [] };
}

/** Deletes tool configs. */
export async function removeConfigs(names: readonly string[]): Promise<SavedChange> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), 'toolConfigs', { kind: 'delete', names });
  edit.save();
  return { file: edit.path, change: 'deleted', names, tools: null, stillNamedBy: [] };
}
