import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import type { z } from 'zod';
import { DataDesignerError, knownNames } from '@data-designer/core';
import { parseDocument } from '../load-document.ts';
import type { MCPProvider } from '../schemas/providers.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import { given, isMapping, type Mapping } from '../spelling.ts';
import { ENTRY_LISTS } from './entry-lists.ts';
import type { HomeFolder } from './home-folder.ts';
import { loadPrivateDocument } from './load-private-document.ts';
import { makePrivateFolder, writePrivateFile } from './private-file.ts';
import { entriesIn, type EntryList } from './read-entries.ts';
import { YamlList } from './yaml-list.ts';

/** A change of one file of the home folder; fields are in camelCase, one that is undefined is taken out. */
export type HomeChange =
  | { readonly kind: 'add'; readonly fields: Mapping }
  | { readonly kind: 'update'; readonly name: string; readonly fields: Mapping }
  | { readonly kind: 'delete'; readonly names: readonly string[] };

/** A change that was tried: nothing is written yet. */
export interface HomeEdit<Entry> {
  readonly path: string;
  /** The entries as they will be. */
  readonly entries: readonly Entry[];
  /** Writes it, into the file as it is by then; throws what `editHome` does, and `dataset/unwritable`. */
  readonly save: () => void;
}

/** The files that are edited entry by entry, and what stands in each. */
interface Edited {
  readonly mcpProviders: MCPProvider;
  readonly toolConfigs: ToolConfig;
}

/**
 * Tries a change of a file of the home folder: comments, order and whatever else stands in it stay. Throws
 * `config/unreadable`, or `config/invalid` for an entry that is not there, is there already, or is none; no message holds
 * a key.
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
    // A link to a file elsewhere stays one.
    const target = isThere(path) ? realpathSync(path) : path;
    writePrivateFile(target, changed(path, ENTRY_LISTS[file], change).text, true);
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
  if (edited.isUnusable) throw unreadable(path, 'its list cannot be changed entry by entry: change it by hand');
  apply(edited, change, { path, list });
  const after = edited.text;
  return { text: after, entries: entriesIn(parseDocument(after, { path, json: false }), path, list) };
}

/** The text of a file whose entries are in order. */
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
    if (index === -1) throw unknownEntry(path, { noun: list.noun, name, names });
    return index;
  };
  if (change.kind === 'add') {
    const name = String(change.fields[list.nameField]);
    if (names.includes(name)) throw knownEntry(path, { noun: list.noun, name });
    edited.add(change.fields);
  } else if (change.kind === 'update') {
    edited.update(indexOf(change.name), change.fields);
  } else {
    const indexes = change.names.map(indexOf).toSorted((a, b) => b - a);
    for (const index of indexes) edited.delete(index);
  }
}

function unknownEntry(
  path: string,
  { noun, name, names }: { readonly noun: string; readonly name: string; readonly names: readonly string[] },
): DataDesignerError {
  const remedy = names.length === 0 ? 'It has none.' : knownNames(name, names);
  return invalid(path, { type: 'unknown_name', message: `there is no ${noun} named '${name}'.`, remedy });
}

function knownEntry(path: string, { noun, name }: { readonly noun: string; readonly name: string }): DataDesignerError {
  const remedy = 'Update it, or choose another name.';
  return invalid(path, { type: 'duplicate_name', message: `the ${noun} '${name}' is there already.`, remedy });
}

function invalid(
  path: string,
  told: { readonly type: string; readonly message: string; readonly remedy: string },
): DataDesignerError {
  const violations = [{ stage: 'load', level: 'ERROR', path: 'name', ...told } as const];
  return new DataDesignerError('config/invalid', { source: path, violations });
}

function unreadable(path: string, reason: string): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
