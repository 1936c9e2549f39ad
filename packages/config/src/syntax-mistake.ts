import { nearest, type TextPosition } from '@data-designer/core';
import { positionAt } from './source-text.ts';

/** A mistake of a text that a parser refuses. */
export interface SyntaxMistake {
  readonly reason: string;
  readonly position?: TextPosition | undefined;
  readonly remedy?: string | undefined;
}

/** A value that begins with a template and has no quotes: YAML reads the braces as mappings. On a line of its own … */
const UNQUOTED_LINE = /^\s*(?:- +)*["']?([\w-]+)["']?\s*:\s+(\{[{%].*[%}]\}.*)$/;
/** … or in a mapping in braces, in which a comma or a brace ends it. */
const UNQUOTED = /([\w-]+)["']?\s*:\s+(\{[{%][^{}]*[%}]\}(?:\{[{%][^{}]*[%}]\}|[^,{}\]\n])*)/;

/** A value without quotes that contains a colon and a space: YAML reads a mapping within the value. */
const COLON = /^\s*(?:- +)*["']?([\w-]+)["']?\s*:\s+([^\s"'[{|>&!*].*:\s.*)$/;

const TEMPLATE = /\{[{%].*[%}]\}/;

/** Errors of the YAML parser that have one cause. */
const NESTED = /^Nested mappings are not allowed/;
const TABS = /^Tabs are not allowed/;
const SEVERAL_LINES = /^Implicit keys need to be on a single line/;
const SPECIAL = /^(?:Unresolved alias|Plain value cannot start with)/;

/** A value that begins with a character that means something to YAML. */
const SPECIAL_START = /([\w-]+)["']?\s*:\s+([*@%`&!][^,{}\]\n]*)/;
/** A key whose text begins on the next line. */
const KEY_ALONE = /^\s*(?:- +)*([\w-]+)\s*:\s*$/;

/** Explains an error of the YAML parser; `isText` says whether it reads a line as a key with a text. A value without quotes is the most frequent cause. */
export function yamlMistake(
  document: string,
  { reason, position }: Pick<SyntaxMistake, 'reason' | 'position'>,
  isText: (line: string) => boolean,
): SyntaxMistake {
  const lines = document.split(/\r\n|\r|\n/);
  const known = SPECIAL.test(reason)
    ? (unknownAnchor(lines, reason) ?? specialStart(lines))
    : severalLines(lines, { reason, position });
  if (known !== undefined) return known;
  // Errors of the parser are on the line of the template or the next one.
  const candidates = position ? [position.line, position.line - 1] : linesByBraces(lines);
  for (const line of candidates) {
    const text = lines[line - 1] ?? '';
    const mistake = unquoted(text, NESTED.test(reason));
    if (mistake === undefined) continue;
    const { key, value, column, why, isQuoted } = mistake;
    const quoted = `${key}: '${value.replaceAll("'", "''")}'`;
    return {
      reason: `the value of '${key}' ${why} and has no quotes, so YAML reads a mapping`,
      position: { line, column },
      remedy: isQuoted && isText(quoted) ? `Quote the value: ${quoted}` : 'Put the value in quotes.',
    };
  }
  return unclosedQuote(document, reason) ?? { reason, position, remedy: remedyOf(reason) };
}

/** The numbers of all lines, those first whose value begins with a template: the parser names no place for its braces. */
function linesByBraces(lines: readonly string[]): readonly number[] {
  const numbers = lines.map((_, index) => index + 1);
  const isBraced = (line: number): boolean => UNQUOTED_LINE.test(lines[line - 1] ?? '');
  return [...numbers.filter(isBraced), ...numbers.filter((line) => !isBraced(line))];
}

/** An anchor or a tag before a value. */
const MARKED = /^[&!][\w-]+(?:\s|$)/;

/** Whether a value is an anchor, a tag, or the alias of an anchor of the document. */
function isMark(value: string, lines: readonly string[]): boolean {
  if (MARKED.test(value)) return true;
  const [, name] = /^\*([\w-]+)\s*$/.exec(value) ?? [];
  return name !== undefined && lines.some((line) => line.includes(`&${name}`));
}

/** An alias without its anchor, in a document that has anchors. */
function unknownAnchor(lines: readonly string[], reason: string): SyntaxMistake | undefined {
  const [, name] = /^Unresolved alias.*: *([\w-]+)/.exec(reason) ?? [];
  const anchors = lines.flatMap((line) =>
    [...line.matchAll(/(?:^|[\s[{:,-])&([\w-]+)/g)].map(([, anchor = '']) => anchor),
  );
  if (name === undefined || anchors.length === 0) return undefined;
  const index = lines.findIndex((line) => new RegExp(`\\*${name}(?![\\w-])`).test(line));
  const column = (lines[index] ?? '').indexOf(`*${name}`) + 1;
  const near = nearest(name, anchors);
  const remedy =
    near === undefined ? `A text that begins with * needs quotes: '*${name}'.` : `Did you mean '*${near}'?`;
  return {
    reason: `the alias *${name} has no anchor &${name} before it`,
    position: { line: index + 1, column },
    remedy,
  };
}

/** A value without quotes that begins with a character of YAML, such as the star of a pattern. */
function specialStart(lines: readonly string[]): SyntaxMistake | undefined {
  for (const [index, line] of lines.entries()) {
    const found = SPECIAL_START.exec(line);
    if (found === null) continue;
    const { key, value, column } = partsOf(found);
    if (isMark(value, lines)) continue;
    return {
      reason: `the value of '${key}' begins with ${value.charAt(0)} and has no quotes, so YAML does not read a text`,
      position: { line: index + 1, column },
      remedy: `Quote the value: ${key}: '${value.replaceAll("'", "''")}'`,
    };
  }
  return undefined;
}

/** A text on several lines below its key, one of which contains a colon. */
function severalLines(
  lines: readonly string[],
  { reason, position }: Pick<SyntaxMistake, 'reason' | 'position'>,
): SyntaxMistake | undefined {
  const [, key] = KEY_ALONE.exec(lines[(position?.line ?? 0) - 2] ?? '') ?? [];
  if (!SEVERAL_LINES.test(reason) || key === undefined || position === undefined) return undefined;
  return {
    reason: `the text of '${key}' has several lines, one of which contains ': ', so YAML reads a mapping`,
    position,
    remedy: `Begin a text of several lines with a bar: ${key}: |`,
  };
}

/** A text whose closing quote is missing: the parser names the place where it stopped to look for that. */
function unclosedQuote(document: string, reason: string): SyntaxMistake | undefined {
  const [, mark] = /^Missing closing (['"])quote/.exec(reason) ?? [];
  if (mark === undefined) return undefined;
  const opening = mark === '"' ? /(?:^|[:,[{-]\s+)"(?:[^"\\]|\\.)*$/ : /(?:^|[:,[{-]\s+)'(?:[^']|'')*$/;
  const found = opening.exec(document);
  if (found === null) return undefined;
  return {
    reason: `a text begins with ${mark} here and has no ${mark} at its end`,
    position: positionAt(document, found.index + found[0].indexOf(mark)),
    remedy: `Write ${mark} where the text ends.`,
  };
}

function remedyOf(reason: string): string | undefined {
  if (TABS.test(reason)) return 'Indent with spaces.';
  return NESTED.test(reason) ? 'Indent the keys of one entry equally: check this line and the next one.' : undefined;
}

/** A value without quotes in which YAML finds a mapping. */
interface Unquoted {
  readonly key: string;
  readonly value: string;
  readonly column: number;
  readonly why: string;
  /** Whether the remedy repeats the value: it has a template, so it is no key. */
  readonly isQuoted: boolean;
}

function unquoted(line: string, isNested: boolean): Unquoted | undefined {
  const colon = COLON.exec(line);
  const why = 'begins with a brace';
  const hasTemplate = TEMPLATE.test(colon?.[2] ?? '');
  if (colon !== null && (isNested || hasTemplate)) {
    return { ...partsOf(colon), why: "contains ': '", isQuoted: hasTemplate };
  }
  const template = UNQUOTED_LINE.exec(line) ?? UNQUOTED.exec(line);
  return template === null ? undefined : { ...partsOf(template), why, isQuoted: true };
}

/** The key of a match, the value at its end, and the column of that. */
function partsOf(found: RegExpExecArray): Pick<Unquoted, 'key' | 'value' | 'column'> {
  const [matched, key = '', value = ''] = found;
  return { key, value: value.trim(), column: found.index + matched.length - value.length + 1 };
}

/** A token of JSON after white space. */
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y;

/** Explains an error of the JSON parser, which names the place in some of its messages only. */
export function jsonMistake(text: string, reason: string): SyntaxMistake {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(reason) ?? [];
  const told = reason.replace(/ at position \d+(?: \(line \d+ column \d+\))?/, '');
  if (line !== undefined) return { reason: told, position: { line: Number(line), column: Number(column) } };
  return { reason: told, position: positionAt(text, jsonEnd(text)) };
}

/** The first characters of values; `0` stands for numbers, true, false and null. */
const VALUE = '"0{[';

/** The offset at which a text stops being JSON: its first misplaced token, else the end of the text. */
function jsonEnd(text: string): number {
  const closers: string[] = [];
  let allowed = VALUE;
  let offset = 0;
  for (;;) {
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) break;
    const kind = /^["{}[\],:]/.exec(token)?.[0] ?? '0';
    if (!allowed.includes(kind)) break;
    offset = TOKEN.lastIndex;
    const isKey = kind === '"' && !allowed.includes('0');
    if (kind === '{' || kind === '[') closers.push(kind === '{' ? '}' : ']');
    if (kind === '}' || kind === ']') closers.pop();
    const closer = closers.at(-1);
    if (kind === '{') allowed = '"}';
    else if (kind === '[') allowed = `${VALUE}]`;
    else if (kind === ',') allowed = closer === '}' ? '"' : VALUE;
    else if (kind === ':') allowed = VALUE;
    else if (isKey) allowed = ':';
    else allowed = closer === undefined ? '' : `,${closer}`;
  }
  const rest = text.slice(offset).trimStart();
  return rest === '' ? text.trimEnd().length : text.length - rest.length;
}
