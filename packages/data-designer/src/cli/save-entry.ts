import type { MCPProvider, ToolConfig } from '@data-designer/config';
import { pluralize } from '../printing/format-numbers.ts';
import { printJson } from './display/print-results.ts';
import { allowedTools, offeredTools } from './wizards/offered-tools.ts';

/** The files of the home folder that hold entries, with the field that names an entry. */
const NAME_FIELDS = { mcpProviders: 'name', toolConfigs: 'toolAlias' } as const;

/** A file of the home folder that holds entries. */
export type EntryFile = keyof typeof NAME_FIELDS;

/** Fields of an entry; an undefined one is removed. */
export type EntryFields = Readonly<Record<string, unknown>>;

/** A new entry, or changed fields of one. */
export interface EntryChange {
  readonly kind: 'add' | 'update';
  readonly name: string;
  readonly fields: EntryFields;
}

/** A saved change of a file of the home folder. */
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

/** Saves an entry after connecting to its providers and listing its tools, unless `connect` is false. */
export async function saveEntry(
  file: EntryFile,
  { kind, name, fields }: EntryChange,
  { connect }: { readonly connect: boolean },
): Promise<SavedChange> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const change = kind === 'add' ? { kind, fields: { [NAME_FIELDS[file]]: name, ...fields } } : { kind, name, fields };
  const edit = editHome(homeFolder(), file, change);
  const entry = edit.entries.find((one) => ('toolAlias' in one ? one.toolAlias : one.name) === name);
  const tools = connect && entry ? await toolsOf(entry) : null;
  edit.save();
  return { file: edit.path, change: kind === 'add' ? 'added' : 'updated', names: [name], tools, stillNamedBy: [] };
}

async function toolsOf(entry: MCPProvider | ToolConfig): Promise<readonly string[]> {
  if ('toolAlias' in entry) return allowedTools(entry);
  return (await offeredTools([entry])).get(entry.name) ?? [];
}

/** Deletes entries, and reports the tool configs that still name a deleted provider. */
export async function removeEntries(file: EntryFile, names: readonly string[]): Promise<SavedChange> {
  const { editHome, homeFolder, readHome } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), file, { kind: 'delete', names });
  edit.save();
  const configs = file === 'mcpProviders' ? readHome().toolConfigs : [];
  const naming = configs.filter(({ providers }) => providers.some((provider) => names.includes(provider)));
  const stillNamedBy = naming.map(({ toolAlias }) => toolAlias);
  return { file: edit.path, change: 'deleted', names, tools: null, stillNamedBy };
}
