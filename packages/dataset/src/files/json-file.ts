import { readFile } from 'node:fs/promises';
import { parseJson, stringifyJson } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';
import { damagedFile } from '../repair/damaged-file.ts';
import { sortKeys } from '../encode/sort-keys.ts';

/** Writes a value as JSON with an indent of 2, all or nothing; keys keep their order unless they are to be sorted. */
export async function writeJsonFile(
  path: string,
  value: unknown,
  { sortKeys: isSorted = false }: { sortKeys?: boolean } = {},
): Promise<void> {
  await writeDurably(path, `${stringifyJson(isSorted ? sortKeys(value) : value, 2)}\n`);
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
    throw damagedFile(path, error);
  }
}
