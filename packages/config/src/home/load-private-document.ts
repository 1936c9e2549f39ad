import { DataDesignerError, fieldsOf, isFailure, itemsOf } from '@data-designer/core';
import { loadDocument } from '../load-document.ts';

/** Reasons that reveal nothing of a file's contents. */
const REVEALS_NOTHING = /^(?:it is |its rights |there is no such file)/;

/** Reads a file that may contain keys: its `config/unreadable` quotes no text of the file, as parsers do. */
export function loadPrivateDocument(path: string): unknown {
  try {
    return loadDocument(path);
  } catch (thrown) {
    if (!isFailure(thrown, 'config/unreadable') || REVEALS_NOTHING.test(thrown.data.reason)) throw thrown;
    const { syscall, linePos } = fieldsOf(thrown.cause);
    if (syscall !== undefined) throw thrown;
    const format = path.toLowerCase().endsWith('.json') ? 'JSON' : 'YAML';
    const { line, col } = fieldsOf(itemsOf(linePos)[0]);
    const where = typeof line === 'number' && typeof col === 'number' ? ` at line ${line}, column ${col}` : '';
    throw new DataDesignerError('config/unreadable', { path, reason: `it is not valid ${format}${where}` });
  }
}
