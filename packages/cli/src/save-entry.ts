import { printNames } from '@data-designer/core';
import type { HomeFile, MCPProvider, ModelConfig, ModelProvider, ToolConfig } from '@data-designer/config';
import { pluralize } from '@data-designer/printing';
import { printJson } from './display/print-results.ts';
import { allowedTools, offeredTools } from './wizards/offered-tools.ts';
import { listedModels, testModel } from './wizards/tested-models.ts';

/** The files of the home folder: the field that names an entry, and what a test of its connection finds. */
const ENTRY_FILES = {
  modelProviders: { nameField: 'name', finds: 'models' },
  modelConfigs: { nameField: 'alias', finds: 'answered' },
  mcpProviders: { nameField: 'name', finds: 'tools' },
  toolConfigs: { nameField: 'toolAlias', finds: 'tools' },
} as const satisfies Record<HomeFile, object>;

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
  readonly path: string;
  readonly change: 'added' | 'updated' | 'deleted';
  readonly names: readonly string[];
  /** What the test found: the tools, the models, or that the model answered; null without a test. */
  readonly finds: 'models' | 'answered' | 'tools';
  readonly found: readonly string[] | true | null;
  /** Entries that still name a deleted provider. */
  readonly stillNamedBy: readonly string[];
}

/** How many names of models or tools a line lists. */
const MOST_NAMES = 12;

/** Prints a change as text or as one JSON object. */
export function printChange(saved: SavedChange, { json }: { readonly json: boolean }): void {
  const { path: file, change, names, finds, found, stillNamedBy } = saved;
  if (json) return printJson({ file, change, names, [finds]: found, stillNamedBy });
  if (found === true) process.stdout.write('The model answered.\n');
  else if (found) process.stdout.write(`${listNames(found, finds)}\n`);
  process.stdout.write(`${change}: ${names.join(', ')} (${file})\n`);
  const noun = finds === 'models' ? 'model config' : 'tool config';
  for (const name of stillNamedBy) process.stderr.write(`Warning: the ${noun} '${name}' still uses it.\n`);
}

function listNames(names: readonly string[], finds: SavedChange['finds']): string {
  const count = pluralize(names.length, finds === 'models' ? 'model' : 'tool');
  return names.length === 0 ? count : `${count}: ${printNames(names, MOST_NAMES)}`;
}

/** Saves an entry after a test of its connection, unless `connect` is false; with a spinner on a terminal. */
export async function saveEntry(
  file: HomeFile,
  { kind, name, fields }: EntryChange,
  { connect }: { readonly connect: boolean },
): Promise<SavedChange> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const { nameField, finds } = ENTRY_FILES[file];
  const change = kind === 'add' ? { kind, fields: { [nameField]: name, ...fields } } : { kind, name, fields };
  const edit = editHome(homeFolder(), file, change);
  const entry = edit.entries.findLast((one) => nameOf(one) === name);
  const { withSpinner } = await import('./wizards/spinner.ts');
  const found =
    connect && entry ? await withSpinner(`Connecting to ${name} …`, (signal) => testEntry(entry, signal)) : null;
  edit.save();
  const done = kind === 'add' ? 'added' : 'updated';
  return { path: edit.path, change: done, names: [name], finds, found, stillNamedBy: [] };
}

type Entry = ModelProvider | ModelConfig | MCPProvider | ToolConfig;

function nameOf(entry: Entry): string {
  if ('toolAlias' in entry) return entry.toolAlias;
  return 'alias' in entry ? entry.alias : entry.name;
}

async function testEntry(entry: Entry, signal: AbortSignal): Promise<readonly string[] | true> {
  if ('toolAlias' in entry) return allowedTools(entry);
  if ('alias' in entry) {
    await testModel(entry, signal);
    return true;
  }
  if ('extraBody' in entry) return listedModels(entry);
  return (await offeredTools([entry])).get(entry.name) ?? [];
}

/** Deletes entries, and reports the entries that still name a deleted provider. */
export async function removeEntries(file: HomeFile, names: readonly string[]): Promise<SavedChange> {
  const { editHome, homeFolder } = await import('@data-designer/config');
  const edit = editHome(homeFolder(), file, { kind: 'delete', names });
  edit.save();
  const { finds } = ENTRY_FILES[file];
  const stillNamedBy = await usersOf(file, names);
  return { path: edit.path, change: 'deleted', names, finds, found: null, stillNamedBy };
}

/** The model configs or tool configs of the home folder that name deleted providers. */
async function usersOf(file: HomeFile, deleted: readonly string[]): Promise<readonly string[]> {
  const { readHome } = await import('@data-designer/config');
  if (file === 'mcpProviders') {
    const using = readHome().toolConfigs.filter(({ providers }) => providers.some((name) => deleted.includes(name)));
    return using.map(({ toolAlias }) => toolAlias);
  }
  if (file !== 'modelProviders') return [];
  const { builtInProviders } = await import('@data-designer/declaration/built-in-providers');
  const builtIn = new Set(builtInProviders.models.map(({ name }) => name));
  const gone = deleted.filter((name) => !builtIn.has(name));
  return readHome().models.flatMap(({ alias, provider }) => (gone.includes(provider) ? alias : []));
}
