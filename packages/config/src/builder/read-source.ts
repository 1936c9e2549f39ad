import { existsSync } from 'node:fs';
import { DataDesignerError } from '@data-designer/core';
import { namesJson } from '../fetch/document-address.ts';
import type { FetchOptions } from '../fetch/fetch-document.ts';
import { shownAddress } from '../fetch/shown-address.ts';
import { loadDocument, parseDocument } from '../load-document.ts';
import { isMapping } from '../spelling.ts';

/**
 * Where a declaration comes from: the path or the http(s) address of a YAML or JSON file, such text itself, or the
 * mapping it holds.
 */
export type ConfigSource = string | object;

/** A declaration as it was read, and what it is called in messages. */
export interface SourceDocument {
  readonly document: unknown;
  readonly source: string;
  /** What came from an address comes from strangers, and may read no local file. */
  readonly origin: 'local' | 'address';
}

/** What a declaration that is no file is called in messages. */
const UNNAMED = 'The config';

/**
 * Reads a declaration; throws `config/unreadable` with the reason. What is read, from an address or anywhere else, is
 * always the declaration itself, never again a path or an address.
 */
export async function readSource(given: ConfigSource, options: FetchOptions = {}): Promise<SourceDocument> {
  const read = typeof given === 'string' ? await readText(given, options) : unnamed(given);
  if (isMapping(read.document)) return read;
  throw unreadable(read.source === UNNAMED ? 'that was given' : read.source, 'it must be a mapping of keys to values');
}

function unnamed(document: unknown): SourceDocument {
  return { document, source: UNNAMED, origin: 'local' };
}

async function readText(given: string, options: FetchOptions): Promise<SourceDocument> {
  const line = given.trim();
  if (ADDRESS.test(line)) return readAddress(line, options);
  if (isPath(given)) return { document: loadDocument(given), source: given, origin: 'local' };
  return unnamed(parse(given));
}

/** One line that begins as an address does; one that is not http(s) is refused as such, not looked for as a file. */
const ADDRESS = /^(?:https?:\/\/.*|[a-z][a-z\d+.-]+:\/\/\S*)$/i;

async function readAddress(address: string, options: FetchOptions): Promise<SourceDocument> {
  // TLS is loaded for those who need it: most configurations are files.
  const { fetchDocument } = await import('../fetch/fetch-document.ts');
  const text = await fetchDocument(address, options);
  const source = shownAddress(address);
  const document = parseDocument(text, { path: source, json: namesJson(new URL(address)) });
  return { document, source, origin: 'address' };
}

/** Text of one line is a path where such a file is, or where nothing in it looks like a mapping. */
function isPath(given: string): boolean {
  if (given.trim() === '' || /[\n\0]/.test(given)) return false;
  return existsSync(given) || /\.(?:ya?ml|json)$/i.test(given) || !/[{:]/.test(given);
}

/** JSON keeps JSON's meaning (`1e-05` is a number); what only looks like it is YAML in flow style. */
function parse(text: string): unknown {
  const path = 'given as text';
  if (!text.trimStart().startsWith('{')) return parseDocument(text, { path, json: false });
  try {
    return parseDocument(text, { path, json: true });
  } catch {
    return parseDocument(text, { path, json: false });
  }
}

function unreadable(path: string, reason: string): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason });
}
