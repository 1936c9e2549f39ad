/** Quotes that end a string, by the quote that begins it. */
const ENDS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`´',
  '´': '´`',
  '“': '”"',
  '„': '“”"',
  '‘': '’',
};
/** Python's constants, by those of JSON. */
const CONSTANTS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
/** Characters that a repair may escape, by their escapes. */
const ESCAPED: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\b': '\b',
  '\\f': '\f',
  '\\"': '"',
  '\\\\': '\\',
};
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gsu;
const UNIT = /\\u[0-9a-fA-F]{4}|\\.|./gsu;
const GAP = /(?:\s+|\/\*.*?\*\/|\/\/[^\n]*)*/suy;
/** Words that are no text: numbers of some writers, an omission, and words that hold a delimiter by mistake. */
const NO_TEXT = /^(?:[-+]?(?:nan|inf|infinity)|\.{3}|…|:.*|.*[，、；：])$/is;
/** An inner quote next to one of these may also be the end of its string. */
const DELIMITER = /[,:{}[\]]/;

/**
 * Whether JSON holds the whole content of the text from which it was repaired, and nothing more. A repair may add quotes
 * around words, change the kind of quotes, escape characters, add and remove commas, drop comments, complete `2.` and rewrite
 * the constants of Python. At the end of the text it may close what is open. It may not add or drop other brackets, values or
 * characters of strings.
 */
export function isConserved(text: string, repaired: string): boolean {
  let at = 0;
  for (const [token] of repaired.matchAll(TOKEN)) {
    at = gapEnd(text, at);
    if (at === text.length && /^[}\]]$/.test(token)) continue;
    if (token === ',') {
      if (text[at] === ',') at++;
      continue;
    }
    if (/^[}\]]$/.test(token) && text[at] === ',') at = gapEnd(text, at + 1);
    at = token.startsWith('"') ? stringEnd(text, at, token.slice(1, -1)) : plainEnd(text, at, token);
    if (at < 0) return false;
  }
  return gapEnd(text, at) === text.length;
}

/** The end of white space and comments. */
function gapEnd(text: string, at: number): number {
  GAP.lastIndex = at;
  GAP.test(text);
  return GAP.lastIndex;
}

function plainEnd(text: string, at: number, token: string): number {
  const words = [token, CONSTANTS[token], token.replace(/^(-?)0\./, '$1.')];
  const found = words.find((word) => word !== undefined && text.startsWith(word, at));
  if (found !== undefined) return at + found.length;
  // A point without decimals, which may be cut off at the end of the text.
  const pointed = token.endsWith('.0') ? token.slice(0, -1) : undefined;
  return pointed !== undefined && text.startsWith(pointed, at) && at + pointed.length < text.length
    ? at + pointed.length
    : -1;
}

/** The end of a string with this content as JSON writes it; negative for other content. */
function stringEnd(text: string, start: number, content: string): number {
  const ends = ENDS[text[start] ?? ''];
  let at = ends === undefined ? start : start + 1;
  for (const [unit] of content.matchAll(UNIT)) {
    const written = writtenAs(text, at, unit);
    if (written === undefined) return -1;
    if (written === '"' && !isInner(text, at, ends)) return -1;
    at += written.length;
  }
  if (ends === undefined) return NO_TEXT.test(content) || at === text.length ? -1 : at;
  if (at === text.length) return at;
  return ends.includes(text[at] ?? ' ') ? at + 1 : -1;
}

/** How a text writes a character of a repaired string; undefined if it has another one. */
function writtenAs(text: string, at: number, unit: string): string | undefined {
  const plain = ESCAPED[unit];
  const ways = [unit, ...(plain === undefined ? [] : [plain]), ...(unit === "'" ? ["\\'"] : [])];
  return ways.find((way) => text.startsWith(way, at));
}

/** Whether a quote can only be part of its string. */
function isInner(text: string, at: number, ends: string | undefined): boolean {
  if (ends === undefined) return false;
  return !ends.includes('"') || isInWords(text, at);
}

/** Whether a quote has no delimiter of JSON on either side. */
export function isInWords(text: string, at: number): boolean {
  const next = text[gapless(text, at + 1, 1)] ?? '';
  const before = text[gapless(text, at - 1, -1)] ?? '';
  return !DELIMITER.test(next) && !DELIMITER.test(before);
}

/** The index of the next character in a direction that is no white space. */
function gapless(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at += step;
  return at;
}
