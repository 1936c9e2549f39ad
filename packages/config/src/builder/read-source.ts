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

/** Reads a declaration; throws `config/unreadable` with the reason. */
export function readSource(given: ConfigSource): SourceDocument {
  const read = typeof given === 'string' ? readText(given) : { document: given, source: 'The config' };
  if (isMapping(read.document)) return read;
  throw unreadable(read.source, 'it must be a mapping of keys to values');
}

function readText(given: string): SourceDocument {
  if (/^https?:\/\//i.test(given)) throw unreadable(given, 'addresses cannot be read yet; load a file');
  if (isPath(given)) return { document: loadDocument(given), source: given };
  const source = 'the text';
  try {
    return { document: parse(given), source: 'The config' };
  } catch (thrown) {
    throw unreadable(source, ((thrown as Error).message.split('\n')[0] ?? '').replace(/[.:]$/, ''), thrown);
  }
}

/** Text of one line is a path where such a file is, or where nothing in it looks like a mapping. */
function isPath(given: string): boolean {
  if (given.includes('\n')) return false;
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
