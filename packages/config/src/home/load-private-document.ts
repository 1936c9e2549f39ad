import { DataDesignerError, fieldsOf, isFailure } from '@data-designer/core';
import { loadDocument } from '../load-document.ts';

/** Reasons that reveal nothing of a file's contents. */
const REVEALS_NOTHING = /^(?:it is |its rights |there is no such file)/;

/** Reads a file that may contain keys: its `config/unreadable` quotes no text of the file, as parsers do. */
export function loadPrivateDocument(path: string): unknown {
  try {
    return loadDocument(path, { isPrivate: true });
  } catch (thrown) {
    if (!isFailure(thrown, 'config/unreadable') || REVEALS_NOTHING.test(thrown.data.reason)) throw thrown;
    if (fieldsOf(thrown.cause).syscall !== undefined) throw thrown;
    const format = path.toLowerCase().endsWith('.json') ? 'JSON' : 'YAML';
    const { position } = thrown.data;
    const reason = `it is not valid ${format}`;
    throw new DataDesignerError('config/unreadable', { path, reason, ...(position && { position }) });
  }
}
