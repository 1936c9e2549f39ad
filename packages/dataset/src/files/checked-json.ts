import { readFile } from 'node:fs/promises';
import zlib from 'node:zlib';
import { isFields, stringifyJson } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';

/** The first line of a text after the opening bracket: the checksum of the lines that follow. */
const HEAD = /^\{\n {2}"check": (\d+),\n/;

/** Parsed JSON, and whether it differs from the checksum in it. */
interface CheckedJson {
  readonly value: unknown;
  /** Whether something else has changed the text since it was written. */
  readonly isChanged: boolean;
}

/** The JSON text of an object, with an indent of 2 and with the checksum of its own text as the first key. */
export function stringifyChecked(value: object): string {
  const text = `${stringifyJson({ check: 0, ...value }, 2)}\n`;
  const rest = text.replace(HEAD, '');
  return `{\n  "check": ${zlib.crc32(rest)},\n${rest}`;
}

/** Parses such a text. A text without a checksum counts as unchanged. Throws `SyntaxError`. */
export function parseChecked(text: string): CheckedJson {
  const parsed: unknown = JSON.parse(text);
  if (!isFields(parsed) || !('check' in parsed)) return { value: parsed, isChanged: false };
  const { check: _, ...value } = parsed;
  const [head = '', check] = HEAD.exec(text) ?? [];
  return { value, isChanged: check === undefined || Number(check) !== zlib.crc32(text.slice(head.length)) };
}

/** Writes an object with its checksum, atomically. */
export async function writeCheckedFile(path: string, value: object): Promise<void> {
  await writeDurably(path, stringifyChecked(value));
}

/** Reads a file of `writeCheckedFile`; undefined where it cannot be read, or was changed: it can be made again. */
export async function readCheckedFile(path: string): Promise<unknown> {
  try {
    const { value, isChanged } = parseChecked(await readFile(path, 'utf8'));
    return isChanged ? undefined : value;
  } catch {
    return undefined;
  }
}
