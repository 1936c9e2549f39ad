import { isTemplate } from '@data-designer/template';
import { type CellValue, isFields, parseJson, stringifyJson, tryParse } from '@data-designer/core';
import { type EnvironmentMistake, fieldKey, type OpenOptions } from '../environment-kind.ts';
import type { McpConfig } from './mcp-config.ts';

type Files = Readonly<Record<string, string>>;

const MOST_FILES = 1_000;
const MOST_CHARS = 32 * 1024 * 1024;

/** The mistakes of paths that are the same in every row. */
export function checkFiles({ files = {} }: McpConfig): readonly EnvironmentMistake[] {
  if (typeof files === 'string') return [];
  return Object.keys(files)
    .filter((path) => !isTemplate(path))
    .flatMap((path) => {
      const reason = mistakeOf(path);
      if (reason === undefined) return [];
      const remedy = 'Write a relative path such as notes/today.txt.';
      return [{ field: ['files', path], message: `the path ${stringifyJson(path)} ${reason}.`, remedy }];
    });
}

/** The files that the folder of a row begins with; throws an `Error` with the reason. */
export function filesOf({ files = {} }: McpConfig, values: OpenOptions['values']): Files {
  const given =
    typeof files === 'string' ? objectOf(values[fieldKey(['files'])] ?? null) : renderedFiles(files, values);
  const names = given.map(([path]) => path);
  if (given.length > MOST_FILES)
    throw new Error(`its folder begins with ${given.length} files; at most ${MOST_FILES} may be`);
  for (const path of names) {
    const reason = mistakeOf(path);
    if (reason !== undefined) throw new Error(`the path ${shown(path)} of a file ${reason}`);
  }
  const twice = clashOf(names);
  if (twice !== undefined) throw new Error(`two files cannot both be at ${shown(twice)}`);
  const chars = given.reduce((sum, [, text]) => sum + text.length, 0);
  if (chars > MOST_CHARS) throw new Error(`its files have ${chars} characters; at most ${MOST_CHARS} may be`);
  return Object.fromEntries(given);
}

type File = readonly [path: string, text: string];

function renderedFiles(files: Files, values: OpenOptions['values']): readonly File[] {
  return Object.entries(files).map(([path, text]) => {
    const rendered = values[fieldKey(['files', path])];
    // A template loses its last line break, which a file must keep.
    const end = rendered !== undefined && /[\r\n]$/.test(text) ? '\n' : '';
    return [textOf(values[fieldKey(['files', path, 'path'])] ?? path), textOf(rendered ?? text) + end];
  });
}

/** An object of texts by path, as a value or as JSON text. */
function objectOf(value: CellValue): readonly File[] {
  if (value === null || value === '') return [];
  const object = typeof value === 'string' ? tryParse(value, parseJson) : value;
  if (!isFields(object)) throw new Error(`its files are no object of texts by path: ${shown(stringifyJson(value))}`);
  return Object.entries(object).map(([path, text]) => {
    if (typeof text === 'string') return [path, text];
    throw new Error(`the file ${shown(path)} is no text: ${shown(stringifyJson(text))}`);
  });
}

function textOf(value: CellValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** What is wrong with the path of a file; undefined for a path inside of the folder. */
function mistakeOf(path: string): string | undefined {
  const names = path.split('/');
  if (path === '' || names.includes('')) return 'has an empty name';
  if (/^[A-Za-z]:/.test(path)) return 'is not relative';
  // A model may have written it.
  if (/[\p{Cc}\\]/u.test(path)) return 'has a character that no path may have';
  if (names.some((name) => name === '.' || name === '..')) return 'has . or .. in it';
  if (names.some((name) => Buffer.byteLength(name) > MOST_NAME_BYTES) || path.length > MOST_PATH_CHARS)
    return 'is too long';
  return undefined;
}

const MOST_NAME_BYTES = 200;
const MOST_PATH_CHARS = 1_000;

/** A path that is there twice, also in other case, or is the folder of another one; undefined without one. */
function clashOf(paths: readonly string[]): string | undefined {
  const keys = new Map<string, string>();
  for (const path of paths) {
    const key = path.normalize('NFC').toLowerCase();
    if (keys.has(key)) return path;
    keys.set(key, path);
  }
  for (const key of keys.keys()) {
    const names = key.split('/');
    for (let length = 1; length < names.length; length++) {
      const folder = keys.get(names.slice(0, length).join('/'));
      if (folder !== undefined) return folder;
    }
  }
  return undefined;
}

const MOST_SHOWN = 80;

function shown(text: string): string {
  return stringifyJson(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}
