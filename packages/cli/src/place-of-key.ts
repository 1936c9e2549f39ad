import { readFileSync } from 'node:fs';
import { homeFolder } from '@data-designer/config';

/** Files that declare providers and seeds. */
const DOCUMENT = /\.(?:ya?ml|json)$/i;

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
