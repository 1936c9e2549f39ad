import { type CellValue, parseJson, DataDesignerError, Float, isList, stringifyJson } from '@data-designer/core';
import { pythonText } from '@data-designer/template';

/**
 * The trimmed texts of a value: the items of a list, also of one written in JSON or as Python prints it; any other
 * value is one text. Throws `column/no-text` for null and blank text.
 */
export function textsToEmbed(value: CellValue, column: string): readonly string[] {
  return itemsOf(value).map((item) => {
    const text = textOf(item).trim();
    if (text !== '') return text;
    const found = item === null ? 'null' : 'blank';
    throw new DataDesignerError('column/no-text', { column, found });
  });
}

function itemsOf(value: CellValue): readonly CellValue[] {
  if (isList(value)) return value;
  return (typeof value === 'string' ? readLiteralList(value) : undefined) ?? [value];
}

function textOf(item: CellValue): string {
  if (typeof item === 'string') return item;
  if (item === null) return '';
  return typeof item === 'object' && !(item instanceof Float) ? stringifyJson(item) : pythonText(item);
}

/** Reads a list written as JSON or as Python prints simple values; undefined for other text. */
function readLiteralList(text: string): readonly CellValue[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return undefined;
  try {
    const parsed = parseJson(trimmed);
    return isList(parsed) ? parsed : undefined;
  } catch {
    return readItems(trimmed.replace(/,\s*\]$/, ']'));
  }
}

/** An item, in either quotes or bare, with the comma or bracket after it. */
const ITEM = /\s*(?:'((?:[^'\\\n]|\\[^])*)'|"((?:[^"\\\n]|\\[^])*)"|([\w.+-]+))\s*([,\]])/y;

function readItems(text: string): readonly CellValue[] | undefined {
  const items: CellValue[] = [];
  ITEM.lastIndex = 1;
  for (let found = ITEM.exec(text); found; found = ITEM.exec(text)) {
    const [, single, double, word = '', behind] = found;
    const string = single ?? double;
    const item = string === undefined ? scalarOf(word) : unescaped(string);
    if (item === undefined) return undefined;
    items.push(item);
    if (behind === ']') return ITEM.lastIndex === text.length ? items : undefined;
  }
  return undefined;
}

const WORDS: Readonly<Record<string, CellValue>> = { None: null, True: true, False: false };

function scalarOf(word: string): CellValue | undefined {
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  try {
    return parseJson(word);
  } catch {
    return undefined;
  }
}

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/g;

/** Escaped characters; unlisted ones stand for themselves with the backslash. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  "'": "'",
  '"': '"',
  '\\': '\\',
  '/': '/',
  '\n': '',
};

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(ESCAPE, (whole: string, ...groups: readonly (string | undefined)[]) => {
    const [x, short, long, letter] = groups;
    const code = x ?? short ?? long;
    if (code === undefined) return ESCAPES[letter ?? ''] ?? whole;
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? whole : String.fromCodePoint(point);
  });
}
