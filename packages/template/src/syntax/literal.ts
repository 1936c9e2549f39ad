import { Float } from '@data-designer/core';
import { hexEscape } from '../quote.ts';
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
 * Decodes the body of a string literal by Python's `unicode-escape` rules as Jinja2 applies them. Returns undefined for
 * an escape that Python rejects, and for named characters (`\N{...}`).
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
    return characterEscape(plain ?? '');
  });
  return valid ? text : undefined;
}

/** Python keeps the backslash of an unknown escape; Jinja2 turns non-ASCII characters into hex escapes first. */
function characterEscape(character: string): string {
  const simple = Object.hasOwn(SIMPLE, character) ? SIMPLE[character] : undefined;
  if (simple !== undefined) return simple;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\${character}` : hexEscape(code);
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
