import { DataDesignerError, isFailure } from '@data-designer/core';
import { loadDocument } from '../load-document.ts';

/** Reasons that tell nothing of what a file holds. */
const TELLS_NOTHING = /^(?:it is |its rights |there is no such file)/;

/**
 * Reads a YAML or JSON file that may hold keys. Throws `config/unreadable` as `loadDocument` does, but with no piece of
 * the file's text, which parsers like to quote.
 */
export function loadPrivateDocument(path: string): unknown {
  try {
    return loadDocument(path);
  } catch (thrown) {
    if (!isFailure(thrown, 'config/unreadable') || TELLS_NOTHING.test(thrown.data.reason)) throw thrown;
    const cause = thrown.cause as { readonly syscall?: string; readonly linePos?: readonly LinePosition[] } | undefined;
    if (cause?.syscall !== undefined) throw thrown;
    const format = path.toLowerCase().endsWith('.json') ? 'JSON' : 'YAML';
    const [place] = cause?.linePos ?? [];
    const where = place ? ` at line ${place.line}, column ${place.col}` : '';
    throw new DataDesignerError('config/unreadable', { path, reason: `it is not valid ${format}${where}` });
  }
}

interface LinePosition {
  readonly line: number;
  readonly col: number;
}
