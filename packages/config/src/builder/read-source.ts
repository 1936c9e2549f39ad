import { existsSync } from 'node:fs';
import { DataDesignerError, parseJson } from '@data-designer/core';
import { loadDocument } from '../load-document.ts';
import { isMapping } from '../spelling.ts';
import { parseYaml } from '../yaml.ts';

/** Where a declaration comes from: the path of a YAML or JSON file, such text itself, or the mapping it holds. */
export type ConfigSource = string | object;

/** A declaration as it was read, and what it is called in messages. */
export interface SourceDocument {
  readonly document: unknown;
  readonly source: string;
}

/** What a declaration that is no file is called in messages. */
const UNNAMED = 'The config';

/** Reads a declaration; throws `config/unreadable` with the reason. */
export function readSource(given: ConfigSource): SourceDocument {
  const read = typeof given === 'string' ? readText(given) : { document: given, source: UNNAMED };
  if (isMapping(read.document)) return read;
  throw unreadable(read.source === UNNAMED ? 'that was given' : read.source, 'it must be a mapping of keys to values');
}

function readText(given: string): SourceDocument {
  if (/^https?:\/\//i.test(given)) throw unreadable(given, 'addresses cannot be read yet; load a file');
  if (isPath(given)) return { document: loadDocument(given), source: given };
  try {
    return { document: parse(given), source: UNNAMED };
  } catch (thrown) {
    const reason = ((thrown as Error).message.split('\n')[0] ?? '').replace(/[.:]$/, '');
    throw unreadable('given as text', reason, thrown);
  }
}

/** Text of one line is a path where such a file is, or where nothing in it looks like a mapping. */
function isPath(given: string): boolean {
  if (given.trim() === '' || given.includes('\n')) return false;
  return existsSync(given) || /\.(?:ya?ml|json)$/i.test(given) || !/[{:]/.test(given);
}

/** JSON keeps JSON's meaning (`1e-05` is a number); what only looks like it is YAML in flow style. */
function parse(text: string): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return parseJson(text);
    } catch {
      return parseYaml(text);
    }
  }
  return parseYaml(text);
}

function unreadable(path: string, reason: string, cause?: unknown): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason }, { cause });
}
