import type { z } from 'zod';
import { DataDesignerError, type Violation } from '@data-designer/core';
import { locate } from '../locate.ts';
import { ONCE, readForm } from '../read-form.ts';
import { given, isMapping, snakeCase } from '../spelling.ts';
import { loadError, printPath } from '../document-path.ts';
import { violationsOf } from '../violations.ts';
import { loadPrivateDocument } from './load-private-document.ts';

/** An error of an entry that shows before a schema reads it. */
export interface EntryMistake {
  /** The field at fault, in camelCase. */
  readonly field: string;
  readonly type: string;
  readonly message: string;
  readonly remedy: string;
}

/** The list of named entries in a file, and the schema of each. */
export interface EntryList<Schema extends z.ZodType> {
  /** The list's key, in camelCase. */
  readonly key: 'providers' | 'modelConfigs' | 'toolConfigs' | 'catalogs';
  /** The word for an entry in messages. */
  readonly noun: string;
  /** The field with the entry's name, in camelCase. */
  readonly nameField: string;
  /** Whether an entry may have the name of another. */
  readonly repeats?: boolean;
  /** Whether there must be an entry. */
  readonly atLeastOne?: boolean;
  readonly schemaOf: (entry: unknown) => Schema | EntryMistake;
}

/** Reads the list of a file; throws `config/unreadable`, or `config/invalid` without values that could be keys. */
export function readEntries<Schema extends z.ZodType>(path: string, list: EntryList<Schema>): z.output<Schema>[] {
  return entriesIn(loadPrivateDocument(path), path, list);
}

/** The entries of a document that was read from a file, or will be written to it. */
export function entriesIn<Schema extends z.ZodType>(
  document: unknown,
  path: string,
  list: EntryList<Schema>,
): z.output<Schema>[] {
  const entries = isMapping(document) ? given(document, list.key) : undefined;
  if (!Array.isArray(entries)) {
    throw new DataDesignerError('config/unreadable', { path, reason: `it has no list named '${snakeCase(list.key)}'` });
  }
  const violations: Violation[] = [];
  if (list.atLeastOne === true && entries.length === 0) violations.push(emptyList(list, document));
  const reading = { list, document, violations };
  const parsed = entries.flatMap((entry: unknown, index) => readEntry(entry, index, reading));
  if (list.repeats !== true) checkNames(entries, reading);
  if (violations.length > 0) {
    throw new DataDesignerError('config/invalid', { source: path, violations: locate(violations, document) });
  }
  return parsed;
}

function emptyList({ key, noun }: EntryList<z.ZodType>, document: unknown): Violation {
  const remedy = `Declare a ${noun}, or delete the file to use the built-in ones.`;
  return loadError(printPath([key], document), { type: 'empty_list', message: 'the list is empty.', remedy });
}

interface Reading<Schema extends z.ZodType> {
  readonly list: EntryList<Schema>;
  readonly document: unknown;
  readonly violations: Violation[];
}

function readEntry<Schema extends z.ZodType>(
  entry: unknown,
  index: number,
  { list, document, violations }: Reading<Schema>,
): z.output<Schema>[] {
  const prefix = [list.key, index];
  const schema = list.schemaOf(entry);
  if ('field' in schema) {
    const { field, ...told } = schema;
    violations.push(loadError(printPath([...prefix, field], document), told));
    return [];
  }
  const value = readForm(schema, withPlainKeys(entry));
  const parsed = schema.safeParse(value, ONCE);
  if (parsed.success) return [parsed.data];
  for (const found of violationsOf(parsed.error.issues, { schema, value, prefix, document, isPrivate: true })) {
    violations.push({ ...found, path: withPlainSteps(found.path) });
  }
  return [];
}

/** Shortens keys that are no plain words: a typo such as `{api_key:abc}` may contain a secret. */
function withPlainKeys(entry: unknown): unknown {
  if (!isMapping(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [plainWord(key), value]));
}

/** Shortens such keys in a path. */
function withPlainSteps(path: string): string {
  return path.replace(/\["((?:[^"\\]|\\.)*)"\]/g, (_, step: string) => `["${plainWord(step)}"]`);
}

/** A text that looks like a key or a type; any other text is cut after its beginning. */
export function plainWord(text: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,39}$/.test(text) ? text : `${/^[A-Za-z_]{0,12}/.exec(text)?.[0] ?? ''}…`;
}

/** Entries that different schemas read may share a name. */
function checkNames(entries: readonly unknown[], { list, document, violations }: Reading<z.ZodType>): void {
  const seen = new Map<unknown, Set<string>>();
  entries.forEach((entry, index) => {
    const name = isMapping(entry) ? given(entry, list.nameField) : undefined;
    if (typeof name !== 'string') return;
    const schema = list.schemaOf(entry);
    const names = seen.get(schema) ?? new Set();
    seen.set(schema, names);
    if (names.has(name)) {
      const path = printPath([list.key, index, list.nameField], document);
      const message = `two ${list.noun}s have the name '${name}'.`;
      violations.push(loadError(path, { type: 'duplicate_name', message, remedy: 'Rename or remove one of them.' }));
    }
    names.add(name);
  });
}
