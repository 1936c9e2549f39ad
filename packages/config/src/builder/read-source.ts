import { existsSync } from 'node:fs';
import { namesJson } from '../fetch/document-address.ts';
import type { FetchOptions } from '../fetch/fetch-document.ts';
import { shownAddress } from '../fetch/shown-address.ts';
import { loadDocument, parseDocument, unreadable } from '../load-document.ts';
import { isMapping } from '../spelling.ts';

/** The path or http(s) address of a YAML or JSON file, its text, or its mapping. */
export type ConfigSource = string | object;

/** A declaration that was read, with its name in messages and its origin. */
export interface SourceDocument {
  readonly document: unknown;
  readonly source: string;
  /** A declaration from an address may read no local file. */
  readonly origin: 'local' | 'address';
}

/** The name of a declaration without a file in messages. */
const UNNAMED = 'The config';

/** Reads a declaration, never following a path or an address within one; throws `config/unreadable`. */
export async function readSource(given: ConfigSource, options: FetchOptions = {}): Promise<SourceDocument> {
  const read = typeof given === 'string' ? await readText(given, options) : unnamed(given);
  if (isMapping(read.document)) return read;
  throw unreadable(
    read.source === UNNAMED ? 'the given config' : read.source,
    'it must be a mapping of keys to values',
  );
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

/** One line that begins like an address; other schemes than http(s) are refused, not searched as files. */
const ADDRESS = /^(?:https?:\/\/.*|[a-z][a-z\d+.-]+:\/\/\S*)$/i;

async function readAddress(address: string, options: FetchOptions): Promise<SourceDocument> {
  // Most configurations are files, which need no TLS.
  const { fetchDocument } = await import('../fetch/fetch-document.ts');
  const text = await fetchDocument(address, options);
  const source = shownAddress(address);
  const document = parseDocument(text, { path: source, json: namesJson(new URL(address)) });
  return { document, source, origin: 'address' };
}

/** Whether one line of text is a path: if the file exists, or if the text does not look like a mapping. */
function isPath(given: string): boolean {
  if (given.trim() === '' || /[\n\0]/.test(given)) return false;
  return existsSync(given) || /\.(?:ya?ml|json)$/i.test(given) || !/[{:]/.test(given);
}

/** Parses text as JSON, in which `1e-05` is a number, else as YAML in flow style. */
function parse(text: string): unknown {
  const path = 'the given text';
  if (!text.trimStart().startsWith('{')) return parseDocument(text, { path, json: false });
  try {
    return parseDocument(text, { path, json: true });
  } catch {
    return parseDocument(text, { path, json: false });
  }
}
