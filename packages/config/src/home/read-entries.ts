import type { z } from 'zod';
import { DataDesignerError, type Violation } from '@data-designer/core';
import { readForm } from '../read-form.ts';
import { given, isMapping, snakeCase } from '../spelling.ts';
import { printPath, violationsOf } from '../violations.ts';
import { loadPrivateDocument } from './load-private-document.ts';

/** What is wrong with an entry before any schema reads it. */
export interface EntryMistake {
  /** The field at fault, in camelCase. */
  readonly field: string;
  readonly type: string;
  readonly message: string;
  readonly remedy: string;
}

/** A file's list of named entries, and how each is read. */
export interface EntryList<Schema extends z.ZodType> {
  /** The list's key, in camelCase. */
  readonly key: 'providers' | 'modelConfigs' | 'toolConfigs';
  /** What an entry is called in messages. */
  readonly noun: string;
  /** The field that tells entries apart, in camelCase. */
  readonly nameField: string;
  /** Whether an entry may have the name of another. */
  readonly repeats?: boolean;
  /** Whether there must be an entry. */
  readonly atLeastOne?: boolean;
  readonly schemaOf: (entry: unknown) => Schema | EntryMistake;
}

/**
 * Reads a file that holds one list under a key, other keys beside it left alone. Throws `config/unreadable`, or
 * `config/invalid` with every mistake of the file; no message holds a value that could be a key.
 */
export function readEntries<Schema extends z.ZodType>(path: string, list: EntryList<Schema>): z.output<Schema>[] {
  return entriesIn(loadPrivateDocument(path), path, list);
}

/** The same of a document that was read from a file, or is to be written there. */
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
  if (violations.length > 0) throw new DataDesignerError('config/invalid', { source: path, violations });
  return parsed;
}

function emptyList({ key, noun }: EntryList<z.ZodType>, document: unknown): Violation {
  const remedy = `Declare a ${noun}, or remove the file: the stock ones are there without it.`;
  const told = { type: 'empty_list', message: 'the list is empty.', remedy };
  return { stage: 'load', level: 'ERROR', path: printPath([key], document), ...told };
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
    violations.push({ stage: 'load', level: 'ERROR', path: printPath([...prefix, field], document), ...told });
    return [];
  }
  const value = readForm(schema, withPlainKeys(entry));
  const parsed = schema.safeParse(value);
  if (parsed.success) return [parsed.data];
  for (const found of violationsOf(parsed.error.issues, { schema, value, prefix, document })) {
    violations.push({ ...found, path: withPlainSteps(found.path) });
  }
  return [];
}

/** A key that is no plain word may be a slip with a secret in it, as `{api_key:abc}`: all but its beginning is hidden. */
function withPlainKeys(entry: unknown): unknown {
  if (!isMapping(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [plainWord(key), value]));
}

/** A path in which a step that is no plain word, and may be a slip with a secret in it, shows its beginning alone. */
function withPlainSteps(path: string): string {
  return path.replace(/\["((?:[^"\\]|\\.)*)"\]/g, (_, step: string) => `["${plainWord(step)}"]`);
}

/** Text that is a word as keys and types are; of any other, its beginning. */
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
      const message = `there are two ${list.noun}s named '${name}'.`;
      const told = { type: 'duplicate_name', message, remedy: 'Rename one, or take one out.' };
      violations.push({ stage: 'load', level: 'ERROR', path, ...told });
    }
    names.add(name);
  });
}
