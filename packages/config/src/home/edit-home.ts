import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import type { z } from 'zod';
import { knownNames } from '@data-designer/core';
import { invalid } from '../builder/invalid-config.ts';
import { parseDocument, unreadable } from '../load-document.ts';
import type { MCPProvider } from '../schemas/providers.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import { given, isMapping, type Mapping } from '../spelling.ts';
import { ENTRY_LISTS } from './entry-lists.ts';
import type { HomeFolder } from './home-folder.ts';
import { loadPrivateDocument } from './load-private-document.ts';
import { makePrivateFolder, writeFile } from '../write-file.ts';
import { entriesIn, type EntryList } from './read-entries.ts';
import { YamlList } from './yaml-list.ts';

/** A change of one file of the home folder; fields are in camelCase, and an undefined one is removed. */
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

/** The files that are edited entry by entry, with the types of their entries. */
interface Edited {
  readonly mcpProviders: MCPProvider;
  readonly toolConfigs: ToolConfig;
}

/**
 * Validates a change of a file of the home folder, which keeps its comments, order and other content. Throws
 * `config/unreadable`, or `config/invalid` for an unknown, existing or invalid entry; no message contains a key.
 */
export function editHome<File extends keyof Edited>(
  folder: HomeFolder,
  file: File,
  change: HomeChange,
): HomeEdit<Edited[File]> {
  const path = folder.files[file];
  const { entries } = changed(path, ENTRY_LISTS[file], change);
  const save = (): void => {
    makePrivateFolder(folder.path);
    // Keep a symbolic link.
    const target = isThere(path) ? realpathSync(path) : path;
    writeFile(target, changed(path, ENTRY_LISTS[file], change).text, { overwrite: true, isPrivate: true });
  };
  return { path, entries: entries as Edited[File][], save };
}

function changed(
  path: string,
  list: EntryList<z.ZodType>,
  change: HomeChange,
): { readonly text: string; readonly entries: readonly unknown[] } {
  const text = isThere(path) ? textOf(path, list) : undefined;
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
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index !== -1) return index;
    const remedy = names.length === 0 ? `The file declares no ${list.noun}.` : knownNames(name, names);
    const message = `there is no ${list.noun} named '${name}'.`;
    throw invalid(path, { type: 'unknown_name', path: 'name', message, remedy });
  };
  if (change.kind === 'add') {
    const name = String(change.fields[list.nameField]);
    const message = `the ${list.noun} '${name}' already exists.`;
    const remedy = 'Update the existing one, or use another name.';
    if (names.includes(name)) throw invalid(path, { type: 'duplicate_name', path: 'name', message, remedy });
    edited.add(change.fields);
  } else if (change.kind === 'update') {
    edited.update(indexOf(change.name), change.fields);
  } else {
    const indexes = change.names.map(indexOf).toSorted((a, b) => b - a);
    for (const index of indexes) edited.delete(index);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
