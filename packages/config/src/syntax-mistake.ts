import type { TextPosition } from '@data-designer/core';
import { positionAt } from './source-text.ts';

/** A mistake of a text that a parser refuses. */
export interface SyntaxMistake {
  readonly reason: string;
  readonly position?: TextPosition | undefined;
  readonly remedy?: string | undefined;
}

/** A value that begins with a template and has no quotes: YAML reads the braces as mappings. */
const UNQUOTED = /([\w-]+)["']?\s*:\s+(\{[{%].*?[%}]\}[^,}\]\n]*)/;

/** Explains an error of the YAML parser; an unquoted template is the most frequent cause. */
export function yamlMistake(text: string, reason: string, position: TextPosition | undefined): SyntaxMistake {
  const lines = text.split(/\r\n|\r|\n/);
  // Errors of the parser are on the line of the template or the next one.
  const candidates = position ? [position.line, position.line - 1] : lines.map((_, index) => index + 1);
  for (const line of candidates) {
    const found = UNQUOTED.exec(lines[line - 1] ?? '');
    const [matched, key = '', value = ''] = found ?? [];
    if (!found || matched === undefined) continue;
    const column = found.index + matched.length - value.length + 1;
    const quoted = `'${value.trim().replaceAll("'", "''")}'`;
    return {
      reason: `the value of '${key}' begins with a brace and has no quotes, so YAML reads a mapping`,
      position: { line, column },
      remedy: `Quote the template: ${key}: ${quoted}.`,
    };
  }
  return { reason, position };
}

/** A token of JSON with the white space before it. */
const TOKEN = /\s*(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y;

/** Explains an error of the JSON parser, which names the place in some of its messages only. */
export function jsonMistake(text: string, reason: string): SyntaxMistake {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(reason) ?? [];
  const told = reason.replace(/ at position \d+(?: \(line \d+ column \d+\))?/, '');
  if (line !== undefined) return { reason: told, position: { line: Number(line), column: Number(column) } };
  const end = text.trimEnd().length;
  let offset = 0;
  for (TOKEN.lastIndex = 0; offset < end && TOKEN.test(text);) offset = TOKEN.lastIndex;
  offset += /^\s*/.exec(text.slice(offset, offset + 10_000))?.[0].length ?? 0;
  const isEnd = /end of JSON input/.test(reason);
  if (offset >= end && !isEnd) return { reason: told };
  return { reason: told, position: positionAt(text, isEnd ? end : offset) };
}
