import { deflateRawSync } from 'node:zlib';

const jsonOf = (text: string) => JSON.stringify(text).slice(1, -1);
const hexOf = (text: string, digits: number) => text.charCodeAt(0).toString(16).padStart(digits, '0');
const base64Of = (text: string) => Buffer.from(text).toString('base64');
const lowerPercent = (text: string) => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
const everyByte = (text: string) => Array.from(Buffer.from(text), (byte) => `%${hexOf(String.fromCharCode(byte), 2)}`);

const bytesOf = (text: string) => Array.from(Buffer.from(text));
const hexBytes = (text: string, before = '', between = '') =>
  bytesOf(text)
    .map((byte) => `${before}${byte.toString(16).padStart(2, '0')}`)
    .join(between);
const lines = (text: string, length: number) => text.replace(new RegExp(`.{${length}}(?=.)`, 'g'), '$&\r\n');
const reversed = (text: string) => Array.from(text).toReversed().join('');
const base32Of = (text: string) =>
  (
    bytesOf(text)
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .match(/.{1,5}/g) ?? []
  )
    .map((bits) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(bits.padEnd(5, '0'), 2)])
    .join('');
const names: Readonly<Record<string, string>> = { '-': 'hyphen', '/': 'sol', '+': 'plus', '=': 'equals', ':': 'colon' };

const crockfordOf = (text: string) =>
  base32Of(text).replace(
    /./g,
    (digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'['ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit)] ?? '',
  );

/** The forms in which servers echo a secret. */
export const secretForms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'JSON-escaped': jsonOf,
  'JSON-escaped, slashes too': (text) => jsonOf(text).replaceAll('/', '\\/'),
  'JSON-escaped, every character': (text) =>
    text
      .split('')
      .map((unit) => `\\u${hexOf(unit, 4).toUpperCase()}`)
      .join(''),
  'JSON-escaped, all but letters': (text) => text.replace(/[^A-Za-z]/g, (unit) => `\\u${hexOf(unit, 4)}`),
  'JSON within JSON': (text) => jsonOf(jsonOf(text)),
  'JSON within JSON within JSON': (text) => jsonOf(jsonOf(jsonOf(text).replaceAll('/', '\\/'))),
  base64: base64Of,
  'base64 of "Bearer KEY"': (text) => base64Of(`Bearer ${text}`),
  'base64 of "user:KEY"': (text) => base64Of(`user:${text}`),
  'base64 with text on both sides': (text) => base64Of(`{"key":"${text}","n":1}`),
  'base64 of JSON': (text) => base64Of(JSON.stringify({ key: text })),
  'base64 for URLs': (text) => Buffer.from(`x${text}`).toString('base64url'),
  'base64 without padding': (text) => base64Of(`xy${text}`).replace(/=+$/, ''),
  'base64, percent-encoded': (text) => encodeURIComponent(base64Of(`user:${text}`)),
  'base64, JSON-escaped': (text) => base64Of(`user:${text}`).replaceAll('/', '\\/').replaceAll('+', '\\u002B'),
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-encoded in lower case': lowerPercent,
  'percent-encoded, every byte': (text) => everyByte(text).join(''),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as a form field': (text) => new URLSearchParams({ text }).toString().slice('text='.length),
  'HTML-escaped': (text) => text.replace(/[&<>"']/g, (unit) => `&#${unit.charCodeAt(0)};`),
  'HTML-escaped by name': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'HTML entities of signs': (text) => text.replace(/[-/+=:]/g, (unit) => `&${names[unit]};`),
  'HTML entities in hex, without semicolons': (text) => hexBytes(text, '&#x'),
  'HTML within JSON': (text) => jsonOf(hexBytes(text, '&#x').replaceAll('&', '&amp;')),
  'in hex': (text) => hexBytes(text),
  'in upper-case hex': (text) => hexBytes(text).toUpperCase(),
  'in hex with colons': (text) => hexBytes(text, '', ':'),
  'in hex with spaces': (text) => hexBytes(text, '', ' '),
  'in hex with prefixes': (text) => hexBytes(text, '0x', ', '),
  'in hex escapes': (text) => hexBytes(text, '\\x'),
  'in octal escapes': (text) =>
    bytesOf(text)
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join(''),
  'in long escapes': (text) =>
    Array.from(text, (unit) => `\\U${unit.codePointAt(0)?.toString(16).padStart(8, '0')}`).join(''),
  'in braces': (text) => Array.from(text, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`).join(''),
  'quoted-printable': (text) => hexBytes(text, '=').toUpperCase(),
  'quoted-printable with soft line breaks': (text) =>
    lines(text.replaceAll('=', '=3D'), 10).replaceAll('\r\n', '=\r\n'),
  'as a list of numbers': (text) => JSON.stringify(bytesOf(text)),
  'in binary': (text) =>
    bytesOf(text)
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join(' '),
  base32: base32Of,
  'base64 with line breaks': (text) => lines(base64Of(`user:${text}`), 8),
  'base64 twice': (text) => base64Of(base64Of(text)),
  'base64 of hex': (text) => base64Of(hexBytes(text)),
  'base64 five times': (text) => base64Of(base64Of(base64Of(base64Of(base64Of(text))))),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'UTF-16': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
  reversed,
  'reversed base64': (text) => reversed(base64Of(text)),
  'other case': (text) => text.replace(/[a-z]/gi, (unit) => (unit < 'a' ? unit.toLowerCase() : unit.toUpperCase())),
  'split by spaces': (text) => Array.from(text).join(' '),
  'split by zero-width spaces': (text) => Array.from(text).join('\u200B'),
  'split over lines': (text) => lines(text, 5),
  'compressed without a header': (text) => deflateRawSync(`{"error":"no ${jsonOf(text)}"}`).toString('base64'),
  'with the number of each character': (text) => Array.from(text, (unit, at) => `${at}:${unit}`).join(' '),
  'in decimal digits': (text) =>
    bytesOf(text)
      .map((byte) => String(byte).padStart(3, '0'))
      .join(''),
  'base32 of Crockford': crockfordOf,
  'as a list of characters': (text) => JSON.stringify(Array.from(text)),
};
