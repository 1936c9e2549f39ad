import { readFileSync, statSync } from 'node:fs';
import { DataDesignerError, parseJson } from '@data-designer/core';
import { parseYaml } from './yaml.ts';

/** A configuration is text that people write: 16 MB is far beyond any. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a YAML or JSON file; throws `config/unreadable` with the reason and, for text, the line. */
export function loadDocument(path: string): unknown {
  const text = readText(path);
  if (text.trim() === '') throw unreadable(path, 'it is empty');
  try {
    return path.toLowerCase().endsWith('.json') ? parseJson(text) : parseYaml(text);
  } catch (thrown) {
    throw unreadable(path, firstLine(thrown), thrown);
  }
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw unreadable(path, `it is ${size} bytes long, more than ${MAX_BYTES}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    throw unreadable(path, reasonOf(thrown), thrown);
  }
}

function reasonOf(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES') return 'its rights forbid reading it';
  return thrown instanceof TypeError ? 'it is not UTF-8 text' : firstLine(thrown);
}

function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return (text.split('\n')[0] ?? '').replace(/[.:]$/, '');
}

function unreadable(path: string, reason: string, cause?: unknown): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason }, { cause });
}
