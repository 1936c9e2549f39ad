import { readFileSync } from 'node:fs';
import { homeFolder } from '@data-designer/config';
import { DataDesignerError, isFailure } from '@data-designer/core';

/** Files that declare providers and seeds. */
const DOCUMENT = /\.(?:ya?ml|json)$/i;

/** A missing key with the file and line that name its variable. */
export function withPlaceOfKey(failure: DataDesignerError, args: readonly string[]): DataDesignerError {
  if (!isFailure(failure, 'secret/missing')) return failure;
  const place = placeOfKey(failure.data.name, args);
  return place === undefined ? failure : new DataDesignerError('secret/missing', { ...failure.data, place });
}

/**
 * Where the files of a command, or those of the home folder, name the environment variable of a key: `file:line`, or
 * undefined if none of them does.
 */
export function placeOfKey(name: string, args: readonly string[]): string | undefined {
  const { files, executionProviders } = homeFolder();
  const given = args.flatMap((argument) => argument.split('=')).filter((argument) => DOCUMENT.test(argument));
  const named = new RegExp(`\\$\\{${name}\\}|:\\s*["']?${name}["']?\\s*(?:[,}#]|$)`);
  for (const file of [...given, files.modelProviders, files.mcpProviders, executionProviders]) {
    const line = linesOf(file).findIndex((text) => named.test(text));
    if (line >= 0) return `${file}:${line + 1}`;
  }
  return undefined;
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
