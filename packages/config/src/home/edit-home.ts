import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { knownNames } from '@data-designer/core';
import { invalid } from '../builder/invalid-config.ts';
import { parseDocument, unreadable } from '../load-document.ts';
import type { ModelConfig } from '../schemas/model-config.ts';
import type { MCPProvider, ModelProvider } from '../schemas/providers.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import { given, isMapping, type Mapping } from '../spelling.ts';
import { ENTRY_LISTS } from './entry-lists.ts';
import type { HomeFile, HomeFolder } from './home-folder.ts';
import { loadPrivateDocument } from './load-private-document.ts';
import { makePrivateFolder, writeFile } from '../write-file.ts';
import { entriesIn, type EntryList } from './read-entries.ts';
import { stockText } from './write-home.ts';
import { YamlList } from './yaml-list.ts';

/**
 * A change of one file of the home folder. Fields are in camelCase, and an undefined one is removed. A dot leads to a field
 * of a mapping: `inferenceParameters.temperature`.
 */
export type HomeChange =
  | { readonly kind: 'add'; readonly fields: Mapping }
  | { readonly kind: 'update'; readonly name: string; readonly fields: Mapping }
  | { readonly kind: 'delete'; readonly names: readonly string[] };

/** A validated change that is not written yet. */
export interface HomeEdit<Entry> {
  readonly path: string;
  /** The entries after the change. */
  readonly entries: readonly Entry[];
  /** Applies the change to the current file and writes it; throws as `editHome` does, and `dataset/unwritable`. */
  readonly save: () => void;
}

/** The types of the entries of each file. */
interface Edited {
  readonly modelProviders: ModelProvider;
  readonly modelConfigs: ModelConfig;
  readonly mcpProviders: MCPProvider;
  readonly toolConfigs: ToolConfig;
}

/**
 * Validates a change of a file of the home folder, which keeps its comments, order and other content. A missing file
 * begins with the stock entries. Throws `config/unreadable`, or `config/invalid` for an unknown, existing or invalid entry;
 * no message contains a key.
 */
export function editHome<File extends HomeFile>(
  folder: HomeFolder,
  file: File,
  change: HomeChange,
): HomeEdit<Edited[File]> {
  const list: EntryList<z.ZodType> = ENTRY_LISTS[file];
  const edit = editList({ path: folder.files[file], list, newText: () => stockText(file) }, change);
  return { ...edit, entries: edit.entries as Edited[File][] };
}

/** A file with a list of entries. */
interface ListFile<Schema extends z.ZodType> {
  readonly path: string;
  readonly list: EntryList<Schema>;
  /** The text of a new file. */
  readonly newText: () => string;
}

/** Validates a change of a file with a list of entries, as `editHome` does. */
export function editList<Schema extends z.ZodType>(
  file: ListFile<Schema>,
  change: HomeChange,
): HomeEdit<z.output<Schema>> {
  const { path } = file;
  const { entries } = changed(file, change);
  const save = (): void => {
    makePrivateFolder(dirname(path));
    // Keep a symbolic link.
    const target = isThere(path) ? realpathSync(path) : path;
    writeFile(target, changed(file, change).text, { overwrite: true, isPrivate: true });
  };
  return { path, entries, save };
}

function changed<Schema extends z.ZodType>(
  { path, list, newText }: ListFile<Schema>,
  change: HomeChange,
): { readonly text: string; readonly entries: readonly z.output<Schema>[] } {
  const text = isThere(path) ? textOf(path, list) : newText();
  const edited = new YamlList(text, list.key);
  if (edited.isUnusable) throw unreadable(path, 'its list cannot be changed by this command; edit the file instead');
  apply(edited, change, { path, list });
  const after = edited.text;
  return { text: after, entries: entriesIn(parseDocument(after, { path, json: false, isPrivate: true }), path, list) };
}

/** The text of a file with valid entries. */
function textOf(path: string, list: EntryList<z.ZodType>): string {
  entriesIn(loadPrivateDocument(path), path, { ...list, atLeastOne: false });
  return readFileSync(path, 'utf8');
}

function apply(
  edited: YamlList,
  change: HomeChange,
  { path, list }: { readonly path: string; readonly list: EntryList<z.ZodType> },
): void {
  const names = edited.values.map((entry) => (isMapping(entry) ? String(given(entry, list.nameField)) : ''));
  /** The entries of a name, the last of which counts. */
  const indexesOf = (name: string): readonly number[] => {
    const indexes = names.flatMap((one, index) => (one === name ? index : []));
    if (indexes.length > 0) return indexes;
    const remedy = names.length === 0 ? `The file declares no ${list.noun}.` : knownNames(name, names);
    const message = `there is no ${list.noun} named '${name}'.`;
    throw invalid(path, { type: 'unknown_name', path: 'name', message, remedy });
  };
  if (change.kind === 'add') {
    const name = String(change.fields[list.nameField]);
    const message = `the ${list.noun} '${name}' already exists.`;
    const remedy = 'Change or delete the existing one, or use another name.';
    if (names.includes(name)) throw invalid(path, { type: 'duplicate_name', path: 'name', message, remedy });
    edited.add(change.fields);
  } else if (change.kind === 'update') {
    edited.update(indexesOf(change.name).at(-1) ?? 0, change.fields);
  } else {
    const indexes = change.names.flatMap(indexesOf).toSorted((a, b) => b - a);
    for (const index of indexes) edited.delete(index);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
