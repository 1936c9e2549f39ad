/** Redacts secrets in a text, or in every text within plain data; any other value comes back as it is. */
export type Redact = <Value>(value: Value) => Value;

/** Shorter texts occur by chance, so redacting them would hide ordinary words. */
const SHORTEST = 4;

/** Starts the search at the first backslash of a run only, as a form may begin with the whole run. */
const NOT_WITHIN_SLASHES = String.raw`(?!(?<=\\)\\)`;

/**
 * Builds the redactor of a run from its resolved secrets. It finds a secret as it is, JSON-escaped at any depth,
 * percent-encoded, HTML-escaped (each character in a form of its own), and within base64, standard or URL-safe, with any
 * text around it. Secrets of fewer than 4 characters are left alone.
 */
export function redactor(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST);
  if (known.length === 0) return (value) => value;
  const longestFirst = known.toSorted((a, b) => b.length - a.length);
  const forms = new RegExp(`${NOT_WITHIN_SLASHES}(?:${longestFirst.flatMap(formsOf).join('|')})`, 'g');
  return (value) => redactIn(value, forms);
}

function redactIn<Value>(value: Value, forms: RegExp): Value;
function redactIn(value: unknown, forms: RegExp): unknown {
  if (typeof value === 'string') return value.replace(forms, '[secret]');
  if (Array.isArray(value)) return value.map((item: unknown) => redactIn(item, forms));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [redactIn(key, forms), redactIn(part, forms)]));
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // `JSON.rawJSON` makes objects without a prototype that stand for numbers.
  return prototype === Object.prototype || (prototype === null && !('rawJSON' in value));
}

/** The patterns of one secret. A server may encode it in base64 as part of a text that is escaped already. */
function formsOf(secret: string): string[] {
  const escaped = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
  const bytes = [secret, ...escaped].map((text) => Buffer.from(text, 'utf8'));
  const encoded = new Set([...bytes, Buffer.from(secret, 'latin1')].flatMap(base64Forms));
  const characters = secret.match(/\\+|./gsu) ?? [];
  return [characters.map(characterForms).join(''), ...encoded];
}

/** Backslashes double with each level of JSON; a bound keeps the search linear. */
const SLASHES = String.raw`\\{1,63}`;
const NAMED: Readonly<Record<string, string>> = { '"': 'quot', "'": 'apos', '&': 'amp', '<': 'lt', '>': 'gt' };
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

/** The forms of one character of a secret, or of several backslashes, in a server's answer. */
function characterForms(character: string): string {
  if (character.length > 1 && character.startsWith('\\')) return `(?:${characterForms('\\')}){1,${character.length}}`;
  const code = character.codePointAt(0) ?? 0;
  const forms = [
    /[A-Za-z0-9]/.test(character) ? character : String.raw`\\{0,63}${character.split('').map(literal).join('')}`,
    character.split('').map(unitEscape).join(''),
    percentEncoded(Buffer.from(character, 'utf8')),
    `&(?:amp;){0,4}(?:#0{0,6}${code}|#[xX]0{0,6}${hex(code, 0)}${NAMED[character] ? `|${NAMED[character]}` : ''});`,
  ];
  const short = SHORT_ESCAPES[character];
  if (short) forms.push(`${SLASHES}${short}`);
  if (code > 0x7f && code <= 0xff) forms.push(percentEncoded(Buffer.of(code)));
  if (character === ' ') forms.push(String.raw`\+`);
  return `(?:${forms.join('|')})`;
}

function literal(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function unitEscape(unit: string): string {
  const code = unit.charCodeAt(0);
  const byte = code <= 0xff ? `|x${hex(code, 2)}` : '';
  return String.raw`${SLASHES}(?:u${hex(code, 4)}|u\{0{0,4}${hex(code, 0)}\}${byte})`;
}

/** Percent signs may be encoded again, as in a URL within a URL. */
function percentEncoded(bytes: Buffer): string {
  return Array.from(bytes, (byte) => `%(?:25){0,8}${hex(byte, 2)}`).join('');
}

/** A pattern of a number's hexadecimal digits in either case. */
function hex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const ANY_BASE64 = `(?:[A-Za-z0-9+/_-]|${SLASHES}/|%(?:25){0,8}2[BbFf]|${SLASHES}u002[BbFf])`;
const PADDING = `(?:${characterForms('=')}){0,2}`;

/**
 * The base64 of any text that contains these bytes, for each of their three positions in a group of three. Characters
 * that also encode bits of neighbouring bytes match any character.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const bits = 8 * (before + bytes.length);
    const own = text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
    const last = bits % 6 === 0 ? '' : ANY_BASE64;
    return `${before === 0 ? '' : ANY_BASE64}${Array.from(own, base64Character).join('')}${last}${PADDING}`;
  });
}

function base64Character(character: string): string {
  if (character === '+') return `(?:${characterForms('+')}|-)`;
  return character === '/' ? `(?:${characterForms('/')}|_)` : characterForms(character);
}
