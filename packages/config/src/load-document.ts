import { readFileSync, statSync } from 'node:fs';
import { DataDesignerError, fileReason, MAX_VALUE_DEPTH, messageOf, parseJson } from '@data-designer/core';
import { parseYaml } from './yaml.ts';

/** 16 MB: more than any hand-written configuration. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a YAML or JSON file; throws `config/unreadable` with the reason and, for text, the line. */
export function loadDocument(path: string): unknown {
  const text = readText(path);
  return parseDocument(text, { path, json: path.toLowerCase().endsWith('.json') });
}

/** Parses the text of a document; throws `config/unreadable` with the reason and, if known, the line. */
export function parseDocument(text: string, { path, json }: { path: string; json: boolean }): unknown {
  if (text.trim() === '') throw unreadable(path, 'it is empty');
  try {
    return notTooDeep(json ? parseJson(text) : parseYaml(text));
  } catch (thrown) {
    throw unreadable(path, thrown instanceof RangeError ? 'it is nested too deeply' : inOneLine(thrown), thrown);
  }
}

function notTooDeep(document: unknown): unknown {
  let level = [document];
  for (let depth = 0; depth <= MAX_VALUE_DEPTH; depth++) {
    const next = new Set<unknown>();
    for (const value of level) {
      if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) next.add(part);
    }
    if (next.size === 0) return document;
    level = [...next];
  }
  throw new Error(`it is nested more than ${MAX_VALUE_DEPTH} levels deep`);
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw unreadable(path, `it is ${size} bytes long, more than ${MAX_BYTES}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    throw unreadable(path, thrown instanceof TypeError ? 'it is not UTF-8 text' : fileReason(thrown), thrown);
  }
}

/** The message of the parser in one line. */
function inOneLine(thrown: unknown): string {
  const text = messageOf(thrown);
  return text.replaceAll(/\s+/g, ' ').replace(/[.:]$/, '');
}

/** The `config/unreadable` error for a file, an address or a text. */
export function unreadable(path: string, reason: string, cause?: unknown): DataDesignerError {
  return new DataDesignerError('config/unreadable', { path, reason }, { cause });
}
