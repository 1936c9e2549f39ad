import { readFile } from 'node:fs/promises';
import { DataDesignerError, parseJson, stringifyJson } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';

/** Writes a value as JSON with an indent of 2, all or nothing; keys keep their order unless they are to be sorted. */
export async function writeJsonFile(
  path: string,
  value: unknown,
  { sortKeys = false }: { sortKeys?: boolean } = {},
): Promise<void> {
  await writeDurably(path, `${stringifyJson(sortKeys ? sorted(value) : value, 2)}\n`);
}

/**
 * Reads a JSON file; undefined if there is none, `dataset/damaged` if it cannot be read. `exact` keeps integral floats
 * and large integers apart; without it the value is what `JSON.parse` gives.
 */
export async function readJsonFile(path: string, { exact = true }: { exact?: boolean } = {}): Promise<unknown> {
  try {
    const text = await readFile(path, 'utf8');
    return exact ? parseJson(text) : (JSON.parse(text) as unknown);
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
