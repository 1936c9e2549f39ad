import { readFileSync, statSync } from 'node:fs';
import util from 'node:util';
import { DataDesignerError, fileReason } from '@data-designer/core';

/** Keys of a project fit in far less. */
const MAX_BYTES = 1024 * 1024;

/** Parts of a name that say that its value is a key; a plural and a number may follow. */
const KEY_WORDS = new Set(['KEY', 'APIKEY', 'TOKEN', 'SECRET', 'PASSWORD', 'CREDENTIAL', 'CRED', 'PAT']);

/** Which names of variables count as keys, for the end of a sentence about one that does not. */
export const ONLY_KEYS =
  'but only names with KEY, TOKEN or the like as a word of its own, as in MY_KEY, are read from there. Rename it';

/** Names that configure programs; they are never taken. */
const STEERING = /^(?:DATA_DESIGNER|NODE|NPM|GIT|SSH|LD|DYLD)_/i;

/** The names taken from an environment file, and the names left out because they are not keys. */
export interface EnvironmentFile {
  readonly path: string;
  readonly taken: readonly string[];
  readonly leftOut: readonly string[];
}

/**
 * Adds keys from an environment file to an environment; variables that are set stay. Names that are not keys are left out,
 * because the file of a project must not choose the home folder, programs or a proxy. A missing file is ignored. Throws
 * `config/unreadable`, never with a value in its message.
 */
export function loadEnvironmentFile(
  path = '.env',
  environment: Record<string, string | undefined> = process.env,
): EnvironmentFile {
  const given = Object.entries(util.parseEnv(readText(path) ?? ''));
  const keys = given.filter(([name]) => isKeyName(name));
  // Templates of such files have lines with empty values.
  const taken = keys.filter(([name, value]) => value !== undefined && value !== '' && environment[name] === undefined);
  for (const [name, value] of taken) environment[name] = value;
  const leftOut = given.filter(([name]) => !isKeyName(name) && environment[name] === undefined);
  return { path, taken: taken.map(([name]) => name), leftOut: leftOut.map(([name]) => name) };
}

/** Whether the name of a variable marks a key: OPENAI_API_KEY, HF_TOKEN and MY_KEY_2 do. */
function isKeyName(name: string): boolean {
  const words = name.toUpperCase().split('_');
  return !STEERING.test(name) && words.some((word) => KEY_WORDS.has(word.replace(/S?\d*$/, '')));
}

function readText(path: string): string | undefined {
  const unreadable = (reason: string) => new DataDesignerError('config/unreadable', { path, reason });
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    // A folder named .env is a Python environment.
    if (!status?.isFile()) return undefined;
    if (status.size > MAX_BYTES) throw unreadable(`it is ${status.size} bytes long, more than ${MAX_BYTES}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    if (thrown instanceof TypeError) throw unreadable('it is not UTF-8 text');
    throw unreadable(fileReason(thrown));
  }
}
