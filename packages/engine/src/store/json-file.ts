import { readFile } from 'node:fs/promises';
import { DataDesignerError, parseJson, stringifyJson } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';

/** Writes a value as JSON with sorted keys and an indent of 2, all or nothing. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await writeDurably(path, `${stringifyJson(sorted(value), 2)}\n`);
}

/** Reads a JSON file; undefined if there is none, `dataset/damaged` if it cannot be read. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataDesignerError('dataset/damaged', { path, reason: (error as Error).message }, { cause: error });
  }
}

/** The value with the keys of every plain object in order; boxes and other instances stay as they are. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, sorted(part)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
