import { readFile } from 'node:fs/promises';
import { parseJson, stringifyJson, systemCode } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';
import { damagedFile } from './damaged-file.ts';

/** Writes a value as JSON with an indent of 2, atomically; keys keep their order unless `sortKeys` is set. */
export async function writeJsonFile(
  path: string,
  value: unknown,
  { sortKeys: isSorted = false }: { sortKeys?: boolean } = {},
): Promise<void> {
  await writeDurably(path, `${stringifyJson(isSorted ? sortKeys(value) : value, 2)}\n`);
}

/** Reads a JSON file, or undefined; throws `dataset/damaged`. `exact` keeps integral floats and large integers apart. */
export async function readJsonFile(path: string, { exact = true }: { exact?: boolean } = {}): Promise<unknown> {
  try {
    const text = await readFile(path, 'utf8');
    const value: unknown = exact ? parseJson(text) : JSON.parse(text);
    return value;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw damagedFile(path, error);
  }
}

/** A copy of a value with sorted keys in every plain object, at any depth. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, sortKeys(part)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
