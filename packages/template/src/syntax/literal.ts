import { Float } from '@data-designer/core';
import type { Constant } from './tree.ts';

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/gu;

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * The text of a string literal without its quotes, by Python's `unicode-escape` rules as Jinja2 applies them. Gives
 * undefined where Python refuses the escape, and for names of characters (`\N{...}`).
 */
export function readString(body: string): string | undefined {
  if (!body.includes('\\')) return body;
  let valid = true;
  const text = body.replace(ESCAPE, (_all: string, ...groups: (string | undefined)[]) => {
    const [octal, hex2, hex4, hex8, plain] = groups;
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const hex = hex2 ?? hex4 ?? hex8;
    const code = hex === undefined ? 0 : Number.parseInt(hex, 16);
    valid &&= code <= 0x10ffff && (plain === undefined || !'xuUN'.includes(plain));
    if (hex !== undefined) return valid ? String.fromCodePoint(code) : '';
    return unknownEscape(plain as string);
  });
  return valid ? text : undefined;
}

/** Python keeps the backslash of an escape it does not know; Jinja2 writes other than ASCII out as an escape first. */
function unknownEscape(character: string): string {
  const simple = Object.hasOwn(SIMPLE, character) ? SIMPLE[character] : undefined;
  if (simple !== undefined) return simple;
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return `\\${character}`;
  if (code <= 0xff) return `\\x${code.toString(16)}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** The value of an integer literal such as `1_000`, `0x1F`, `0b101`. */
export function readInteger(text: string): number | bigint {
  const value = BigInt(text.replaceAll('_', ''));
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** The value of a float literal such as `1.50` or `1e3`. */
export function readFloat(text: string): Constant {
  const value = Number(text.replaceAll('_', ''));
  return Number.isInteger(value) ? new Float(value) : value;
}
