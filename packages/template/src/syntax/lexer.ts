import type { SourcePosition } from './tree.ts';
import { DataDesignerError } from '@data-designer/core';
import { readString } from './literal.ts';
import { SPACE } from './white-space.ts';

/** Whether a template is text, or JSON text whose strings contain templates. */
export type Medium = 'text' | 'json';

/** A token of a template; the types are those of nunjucks' parser. */
export interface Token extends SourcePosition {
  readonly type: string;
  readonly value: string;
}

/** The error for a template that does not parse. */
export function syntaxError(reason: string, { line, column }: SourcePosition): DataDesignerError<'template/syntax'> {
  return new DataDesignerError('template/syntax', { reason, line, column });
}

const SPACES = new RegExp(`${SPACE}*`, 'y');
const CODE_SPACES = { text: SPACES, json: new RegExp(`(?:${SPACE}|\\\\[nrtf])*`, 'y') };
const ONE_SPACE = new RegExp(SPACE);
const OPENING = new RegExp(`\\{%[-+]?${SPACE}*raw${SPACE}*-?%\\}|\\{[%{#][-+]?`, 'g');
const RAW_END = new RegExp(`\\{%([-+]?)${SPACE}*endraw${SPACE}*([-+]?)%\\}`, 'g');
const COMMENT_END = /([-+]?)#\}/g;
const BLOCK_END = /[-+]?%\}/y;
const VARIABLE_END = /-?\}\}/y;
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{N}\p{M}\p{Pc}]+/uy;
const IDENTIFIER = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;
/** JSON text escapes double quotes. */
const STRING = {
  text: /'([^'\\]*(?:\\[^][^'\\]*)*)'|"([^"\\]*(?:\\[^][^"\\]*)*)"/y,
  json: /'([^'\\]*(?:\\[^][^'\\]*)*)'|\\"([^"\\]*(?:\\[^"][^"\\]*)*)\\"/y,
};
const OPERATOR = /\*\*|\/\/|[=!<>]=|[-+/*%~[\](){}<>=.:|,;]/y;

const OPERATOR_TYPES: Readonly<Record<string, string>> = {
  '(': 'left-paren',
  ')': 'right-paren',
  '[': 'left-bracket',
  ']': 'right-bracket',
  '{': 'left-curly',
  '}': 'right-curly',
  ',': 'comma',
  ':': 'colon',
  '~': 'tilde',
  '|': 'pipe',
};
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** How many characters of a line an error quotes. */
const MAX_SHOWN = 40;

function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && ONE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Splits a template into tokens by Jinja2's rules, which differ from those of nunjucks' lexer in numbers, string escapes,
 * white space control, raw blocks and nested braces. Returns `eof` after the last token.
 */
export class Lexer {
  readonly #source: string;
  readonly #medium: Medium;
  readonly #tokens: Token[] = [];
  readonly #end: Token;
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #newline: number;
  #next = 0;

  constructor(source: string, medium: Medium = 'text') {
    this.#medium = medium;
    this.#source = source.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '');
    this.#newline = this.#source.indexOf('\n');
    while (this.#at < this.#source.length) this.#readText();
    this.#end = { type: 'eof', value: 'end of template', ...this.#positionOf(this.#source.length) };
  }

  nextToken(): Token {
    const token = this.upcoming();
    this.#next += 1;
    return token;
  }

  /** The token that `nextToken` will return. */
  upcoming(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  #push(type: string, value: string, offset: number): void {
    this.#tokens.push({ type, value, ...this.#positionOf(offset) });
  }

  #positionOf(offset: number): SourcePosition {
    while (this.#newline >= 0 && this.#newline < offset) {
      this.#line += 1;
      this.#lineStart = this.#newline + 1;
      this.#newline = this.#source.indexOf('\n', this.#lineStart);
    }
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }

  #fail(reason: string, offset: number): never {
    return this.failAt(reason, this.#positionOf(offset));
  }

  /** Throws `template/syntax` for a position and quotes the text there. */
  failAt(reason: string, position: SourcePosition): never {
    const { line, column } = position;
    const rest = (this.#source.split('\n')[line - 1] ?? '').slice(column - 1).trimEnd();
    const shown = rest.length > MAX_SHOWN ? `${rest.slice(0, MAX_SHOWN)}...` : rest;
    throw syntaxError(shown === '' ? reason : `${reason}, at '${shown}'`, position);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }

  #readText(): void {
    const from = this.#at;
    const opening = this.#match(OPENING);
    const mark = opening?.[0] ?? '';
    this.#pushData(this.#source.slice(from, opening?.index), mark[2] === '-', from);
    this.#at = opening === null ? this.#source.length : opening.index + mark.length;
    if (opening === null) return;
    if (mark.endsWith('%}')) this.#readRaw(mark.endsWith('-%}'));
    else if (mark[1] === '#') this.#readComment(opening.index);
    else this.#readCode(opening.index, mark[1] === '%' ? 'block' : 'variable');
  }

  #pushData(text: string, stripEnd: boolean, offset: number): void {
    const kept = stripEnd ? withoutTrailingSpace(text) : text;
    if (kept !== '') this.#push('data', kept, offset);
  }

  #skipSpaces(spaces = SPACES): void {
    this.#at += this.#match(spaces)?.[0].length ?? 0;
  }

  #readRaw(strip: boolean): void {
    if (strip) this.#skipSpaces();
    const from = this.#at;
    const end = this.#match(RAW_END) ?? this.#fail('{% endraw %} is missing', from);
    this.#pushData(this.#source.slice(from, end.index), end[1] === '-', from);
    this.#at = end.index + end[0].length;
    if (end[2] === '-') this.#skipSpaces();
  }

  #readComment(from: number): void {
    const end = this.#match(COMMENT_END) ?? this.#fail('#} is missing', from);
    this.#at = end.index + end[0].length;
    if (end[1] === '-') this.#skipSpaces();
  }

  #readCode(from: number, kind: 'block' | 'variable'): void {
    this.#push(`${kind}-start`, kind === 'block' ? '{%' : '{{', from);
    const ending = kind === 'block' ? BLOCK_END : VARIABLE_END;
    const open: string[] = [];
    while (this.#at < this.#source.length) {
      this.#skipSpaces(CODE_SPACES[this.#medium]);
      const end = open.length === 0 ? this.#match(ending) : null;
      if (end !== null) return this.#endCode(kind, end[0]);
      if (this.#at < this.#source.length) this.#readToken(open);
    }
  }

  #endCode(kind: 'block' | 'variable', mark: string): void {
    this.#push(`${kind}-end`, mark.slice(-2), this.#at);
    this.#at += mark.length;
    if (mark.startsWith('-')) this.#skipSpaces();
  }

  #readToken(open: string[]): void {
    const from = this.#at;
    const float = this.#match(FLOAT);
    if (float !== null) return this.#accept('float', float[0]);
    const integer = this.#match(INTEGER);
    if (integer !== null) return this.#accept('int', integer[0]);
    const name = this.#match(NAME);
    if (name !== null) {
      if (!IDENTIFIER.test(name[0])) this.#fail(`'${name[0]}' is not a name`, from);
      return this.#accept('symbol', name[0]);
    }
    const string = this.#match(STRING[this.#medium]);
    if (string !== null) return this.#readString(string);
    const operator = this.#match(OPERATOR) ?? this.#fail(`unexpected character '${this.#source[from]}'`, from);
    this.#balance(operator[0], open);
    this.#accept(OPERATOR_TYPES[operator[0]] ?? 'operator', operator[0]);
  }

  #readString(match: RegExpExecArray): void {
    const value = readString(match[1] ?? match[2] ?? '');
    if (value === undefined) this.#fail('invalid escape in a string', this.#at);
    this.#push('string', value, this.#at);
    this.#at += match[0].length;
  }

  #accept(type: string, value: string): void {
    this.#push(type, value, this.#at);
    this.#at += value.length;
  }

  #balance(sign: string, open: string[]): void {
    const closing = CLOSING[sign];
    if (closing !== undefined) open.push(closing);
    else if (')]}'.includes(sign) && open.pop() !== sign) this.#fail(`unexpected '${sign}'`, this.#at);
  }
}
