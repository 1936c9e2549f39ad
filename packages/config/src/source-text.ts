import type { TextPosition } from '@data-designer/core';
import type { MisreadWord, RepeatedKey } from './yaml.ts';

/** The text of a file or an address that a document was parsed from. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
  /** Whether the file may contain keys, so that messages quote no line of it. */
  readonly isPrivate: boolean;
  /** The keys that a mapping has twice; none if absent. */
  readonly repeated?: readonly RepeatedKey[];
  /** The words that YAML reads as numbers or booleans, and that may be meant as texts; none if absent. */
  readonly misread?: readonly MisreadWord[];
}

/** A part of a parsed text, with its printed path there; the path of the whole document is empty. */
export interface TextPart {
  readonly source: SourceText;
  readonly path: string;
}

const parts = new WeakMap<object, TextPart>();

/** Remembers the text of a parsed document, or of a part of it, so that a mistake can name its line. */
export function rememberText(value: unknown, source: SourceText, path = ''): void {
  if (typeof value === 'object' && value !== null) parts.set(value, { source, path });
}

/** The text that a value was parsed from; undefined if it was built in a program. */
export function textPartOf(value: unknown): TextPart | undefined {
  return typeof value === 'object' && value !== null ? parts.get(value) : undefined;
}

/** Lets a copy name the lines of its original; returns the copy. */
export function copyTextPart<Copy>(original: unknown, copy: Copy): Copy {
  const part = textPartOf(original);
  if (part) rememberText(copy, part.source, part.path);
  return copy;
}

/** The longest shown part of a line. */
const MAX_WIDTH = 100;

/** A line that may hold a key is never shown. */
const MAY_HOLD_SECRET = /(?:key|token|secret|passw|credential|authorization|cookie)[\w-]*["']?\s*[:=]/i;

/** The line at a place with the line before it, and a mark under the place; undefined if a line may hold a key. */
export function codeFrame(text: string, { line, column }: TextPosition): string | undefined {
  const lines = text.split(/\r\n|\r|\n/, line);
  const shown = [line - 1, line].filter((one) => one >= 1 && (one === line || lines[one - 1]?.trim() !== ''));
  if (shown.some((one) => MAY_HOLD_SECRET.test(lines[one - 1] ?? ''))) return undefined;
  const digits = String(line).length;
  const start = Math.max(0, column - MAX_WIDTH + 20);
  const part = (one: number) => (lines[one - 1] ?? '').slice(start, start + MAX_WIDTH).replaceAll('\t', ' ');
  const rows = shown.map((one) =>
    `${one === line ? '>' : ' '} ${String(one).padStart(digits)} | ${part(one)}`.trimEnd(),
  );
  return [...rows, `  ${' '.repeat(digits)} | ${' '.repeat(column - 1 - start)}^`].join('\n');
}

/** The line and column of an offset in a text. */
export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
