import { readFileSync, statSync } from 'node:fs';
import {
  DataDesignerError,
  fieldsOf,
  fileReason,
  itemsOf,
  MAX_VALUE_DEPTH,
  messageOf,
  parseJson,
  systemCode,
  type TextPosition,
} from '@data-designer/core';
import { loadRemedies } from './load-remedies.ts';
import { codeFrame, rememberText } from './source-text.ts';
import type { SyntaxMistake } from './syntax-mistake.ts';
import { type MisreadWord, parseYaml, type RepeatedKey } from './yaml.ts';

/** 16 MB: more than any hand-written configuration. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a YAML or JSON file; throws `config/unreadable` with the reason and, for text, the place. */
export function loadDocument(path: string, { isPrivate = false } = {}): unknown {
  const text = readText(path);
  return parseDocument(text, { path, json: path.toLowerCase().endsWith('.json'), isPrivate });
}

/** The name and the format of a text. */
interface TextOptions {
  readonly path: string;
  readonly json: boolean;
  /** Whether the text may contain keys, so that messages quote nothing of it. */
  readonly isPrivate?: boolean;
}

/** Parses the text of a document; throws `config/unreadable` with the reason and, if known, the place. */
export function parseDocument(text: string, { path, json, isPrivate = false }: TextOptions): unknown {
  if (text.trim() === '') throw unreadable(path, 'it is empty');
  try {
    const repeated: RepeatedKey[] = [];
    const misread: MisreadWord[] = [];
    const listener = {
      onRepeat: (one: RepeatedKey) => repeated.push(one),
      onMisread: (one: MisreadWord) => misread.push(one),
    };
    const document = notTooDeep(json ? parseJson(text) : parseYaml(text, listener));
    rememberText(document, { path, text, isPrivate, repeated, misread });
    return document;
  } catch (thrown) {
    if (thrown instanceof RangeError) throw unreadable(path, 'it is nested too deeply', thrown);
    const reason = inOneLine(thrown);
    const { jsonMistake, yamlMistake } = loadRemedies();
    const mistake = json
      ? jsonMistake(text, reason)
      : yamlMistake(text, { reason, position: positionOf(thrown) }, isTextLine);
    throw unparsable(path, mistake, { text, isPrivate, cause: thrown });
  }
}

/** Whether YAML reads a line as a key with a text. */
function isTextLine(line: string): boolean {
  try {
    return Object.values(fieldsOf(parseYaml(line))).every((value) => typeof value === 'string');
  } catch {
    return false;
  }
}

/** The place that the YAML parser reports. */
function positionOf(thrown: unknown): TextPosition | undefined {
  const { line, col } = fieldsOf(itemsOf(fieldsOf(thrown).linePos)[0]);
  return typeof line === 'number' && typeof col === 'number' ? { line, column: col } : undefined;
}

/** The error of a text that its parser refuses, with the lines around the place. */
function unparsable(
  path: string,
  { reason, position, remedy }: SyntaxMistake,
  { text, isPrivate, cause }: { readonly text: string; readonly isPrivate: boolean; readonly cause: unknown },
): DataDesignerError {
  const frame = position && !isPrivate ? codeFrame(text, position) : undefined;
  const place = { ...(position && { position }), ...(remedy !== undefined && { remedy }), ...(frame && { frame }) };
  return new DataDesignerError('config/unreadable', { path, reason, ...place }, { cause });
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
    const reason = thrown instanceof TypeError ? 'it is not UTF-8 text' : fileReason(thrown);
    const remedy = systemCode(thrown) === 'ENOENT' ? loadRemedies().nearFile(path) : undefined;
    throw new DataDesignerError('config/unreadable', { path, reason, ...(remedy && { remedy }) }, { cause: thrown });
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
