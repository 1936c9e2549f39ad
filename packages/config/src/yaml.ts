import type { Document, LineCounter, ScalarTag, YAMLParseError, YAMLWarning } from 'yaml';
import { Float, printFloat, type TextPosition } from '@data-designer/core';
import { loadYaml } from './load-yaml.ts';

/** A scalar type of YAML 1.1 with PyYAML's pattern (as in NeMo Data Designer). */
function scalar(
  name: string,
  test: RegExp,
  resolve: (text: string, onError: (message: string) => void) => unknown,
): ScalarTag {
  return { tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve };
}

const digits = (text: string): string => text.replaceAll('_', '');

/** A number in base 60, as `1:30:00`. */
function sexagesimal(text: string): number {
  const negative = text.startsWith('-');
  const total = text
    .replace(/^[-+]/, '')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
  return negative ? -total : total;
}

function readInteger(source: string): number | bigint {
  const text = digits(source);
  if (text.includes(':')) return sexagesimal(text);
  const [, sign = '', body = '0'] = /^([-+]?)(.*)$/.exec(text) ?? [];
  const octal = /^0[0-7]+$/.test(body) ? `0o${body.slice(1)}` : body;
  const value = sign === '-' ? -BigInt(octal) : BigInt(octal);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readFloat(source: string): number | Float {
  const text = digits(source).toLowerCase();
  if (text.endsWith('.nan')) return NaN;
  if (text.endsWith('.inf')) return text.startsWith('-') ? -Infinity : Infinity;
  const value = text.includes(':') ? sexagesimal(text) : Number(text);
  return Number.isInteger(value) ? new Float(value) : value;
}

const TIME =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?)?$/;

/** A date or time that is converted to text after parsing. */
class Time {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Converts a date or time to ISO text as the Python tool's JSON does; reports an impossible one. */
function readTime(source: string, onError: (message: string) => void): Time {
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour,
    minute = '',
    second = '',
    fraction,
    zone,
    sign,
    zoneHour = '',
    zoneMinute = '00',
  ] = TIME.exec(source) ?? [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (!isDay(date)) onError(`there is no day ${date}`);
  if (hour === undefined) return new Time(date);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) onError(`there is no time ${source}`);
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) onError(`there is no offset ${zone}`);
  const micros = fraction?.slice(0, 6).padEnd(6, '0') ?? '';
  const offset =
    zone === undefined ? '' : zone === 'Z' ? '+00:00' : `${sign}${zoneHour.padStart(2, '0')}:${zoneMinute}`;
  const shown = /[1-9]/.test(micros) ? `.${micros}` : '';
  return new Time(`${date}T${hour.padStart(2, '0')}:${minute}:${second}${shown}${offset}`);
}

function isDay(date: string): boolean {
  const read = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(date) && !date.startsWith('0000');
}

const TAGS: ScalarTag[] = [
  scalar('null', /^(?:~|null|Null|NULL|)$/, () => null),
  scalar('bool', /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  scalar('bool', /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  scalar(
    'int',
    /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    readInteger,
  ),
  scalar(
    'float',
    /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    readFloat,
  ),
  scalar('value', /^=$/, (_, onError) => onError("a lone '=' means nothing here: quote it")),
  scalar(
    'timestamp',
    /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/,
    readTime,
  ),
];

/** A key that a mapping has twice; the second value counts. */
export interface RepeatedKey {
  readonly key: string;
  readonly first: TextPosition;
  readonly second: TextPosition;
}

/** A word that YAML 1.1 reads as another value, where its writer may have meant the text. */
export interface MisreadWord {
  readonly word: string;
  readonly value: number | bigint | boolean;
  readonly position: TextPosition;
}

/** What a text has that its writer may not have meant. */
export interface YamlListener {
  readonly onRepeat?: (repeated: RepeatedKey) => void;
  readonly onMisread?: (misread: MisreadWord) => void;
}

/**
 * Parses YAML as PyYAML does; integers and floats stay distinct. Reports keys that are written twice, and words that may be
 * meant as texts. Throws an `Error` with the position as `linePos`.
 */
export function parseYaml(text: string, listener: YamlListener = {}): unknown {
  if (isTooDeep(text)) throw tooDeep();
  const { LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: (tags) => [...tags, ...TAGS],
    merge: true,
    uniqueKeys: false,
    logLevel: 'error',
    // Errors show only their position: printing a long line takes time.
    prettyErrors: false,
    lineCounter: lines,
  });
  const closed = flowsAreClosed(document, text);
  const error = document.errors.find((one) => !(closed && isIndentation(one))) ?? document.warnings.find(isUnknownTag);
  if (error) throw explained(error, lines);
  findOddities(document, lines, listener);
  trimLastBlock(document, text);
  const done = new Map<object, unknown>();
  const value = plain(document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true }), done);
  refuseBomb(value, text.length);
  return value;
}

/** Merged mappings may be several. */
const MERGE_KEY = '<<';

/** Numbers in base 60 and those with a zero in front, such as times of day and postal codes. */
const MISREAD_NUMBER = /^[-+]?(?:0[0-7_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
/** As an item of a list such a word is rather a text, such as a country; as the value of a key it is a switch. */
const MISREAD_ITEM = /^(?:yes|no|on|off)$/i;

function findOddities(
  document: Document.Parsed,
  lines: LineCounter,
  { onRepeat = () => {}, onMisread = () => {} }: YamlListener,
): void {
  const { isScalar, isSeq, visit } = loadYaml();
  const positionOf = (offset: number): TextPosition => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  visit(document, {
    Scalar: (key, { value, source = '', range, type }, path) => {
      if (key === 'key' || type !== 'PLAIN' || !range || typeof value === 'string') return;
      const isMisread = MISREAD_NUMBER.test(source) || (isSeq(path.at(-1)) && MISREAD_ITEM.test(source));
      if (isMisread) onMisread({ word: source, value: value as MisreadWord['value'], position: positionOf(range[0]) });
    },
    Map: (_, { items }) => {
      const seen = new Map<string, number>();
      for (const { key } of items) {
        if (!isScalar(key) || !key.range || key.source === MERGE_KEY) continue;
        const name = String(key.value);
        const [offset] = key.range;
        const before = seen.get(name);
        if (before !== undefined) onRepeat({ key: name, first: positionOf(before), second: positionOf(offset) });
        seen.set(name, offset);
      }
    },
  });
}

/** PyYAML accepts any indentation in flow collections; the same error is reported for one without an end. */
function isIndentation({ code, message }: YAMLParseError): boolean {
  return code === 'BAD_INDENT' && message.includes('sufficiently indented');
}

function flowsAreClosed(document: Document.Parsed, text: string): boolean {
  let closed = true;
  loadYaml().visit(document, {
    Collection: (_, { flow, range }) => {
      if (flow && !/[\]}]/.test(text[(range?.[1] ?? 0) - 1] ?? '')) closed = false;
    },
  });
  return closed;
}

function isUnknownTag({ code }: YAMLWarning): boolean {
  return code === 'TAG_RESOLVE_FAILED';
}

/** A block that ends where the text ends, without a line break, has none at its end. */
function trimLastBlock(document: Document.Parsed, text: string): void {
  if (text.endsWith('\n') || text.endsWith('\r')) return;
  const { Scalar, visit } = loadYaml();
  visit(document, {
    Scalar: (_, node) => {
      const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
      if (!isBlock || (node.range?.[1] ?? 0) < text.length || typeof node.value !== 'string') return;
      node.value = node.value.replace(/\n$/, '');
    },
  });
}

/** What aliases unfold to must be no more than this, or this many times the text: a bomb is refused, not unfolded. */
const MAX_VALUES = 1_000_000;
const MAX_GROWTH = 10;

function refuseBomb(value: unknown, length: number): void {
  const sizes = new Map<object, number>();
  const sizeOf = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 1;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    const size = Object.values(part).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
    sizes.set(part, size);
    return size;
  };
  if (sizeOf(value) > Math.max(MAX_VALUES, length * MAX_GROWTH)) throw new Error('its aliases unfold to too much');
}

const tooDeep = () => new Error('it is nested too deeply');

/** The message of an error, with its position as `linePos`. */
function explained({ code, message, pos: [at] }: YAMLParseError | YAMLWarning, lines: LineCounter): Error {
  if (/call stack/.test(message)) return tooDeep();
  const reason = code === 'MULTIPLE_DOCS' ? "it holds several documents, with '---' between them" : message;
  const place = lines.linePos(at);
  return Object.assign(new Error(reason), { linePos: [place] });
}

/** Brackets within each other that no config has, and from which the parser needs seconds to come back. */
const MAX_BRACKETS = 1000;

/** Whether flow collections are nested beyond that; asked only of texts with many brackets. */
function isTooDeep(text: string): boolean {
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_BRACKETS) return false;
  const { Lexer } = loadYaml();
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > MAX_BRACKETS) return true;
  }
  return false;
}

/** The maximum number of followed aliases, nested ones multiplied: it stops endless merges. */
const MAX_ALIASES = 10_000;

/** Stands for a list or mapping while its members are read. */
const UNDER_WAY = Symbol('under way');

/** Converts maps to mappings with text keys, and times to text; aliases share one value. */
function plain(value: unknown, done: Map<object, unknown>): unknown {
  if (value instanceof Time) return value.text;
  if (value instanceof Set || value instanceof Uint8Array) throw new Error('sets and binary data have no place here');
  if (!(value instanceof Map) && !Array.isArray(value)) return value;
  const known = done.get(value);
  if (known === UNDER_WAY) throw new Error('an alias stands within what it names');
  if (known !== undefined) return known;
  done.set(value, UNDER_WAY);
  const made = Array.isArray(value) ? value.map((item) => plain(item, done)) : mappingOf(value, done);
  done.set(value, made);
  return made;
}

/** The keys of a map as Python's JSON has them: 1, 1.0 and true are one key, whose last value counts. */
function mappingOf(map: ReadonlyMap<unknown, unknown>, done: Map<object, unknown>): Record<string, unknown> {
  const spelling = new Map<unknown, string>();
  const result = new Map<string, unknown>();
  for (const [key, value] of map) {
    const same = typeof key === 'string' || key === null ? key : Number(key);
    const text = spelling.get(same) ?? keyText(key);
    spelling.set(same, text);
    result.set(text, plain(value, done));
  }
  return Object.fromEntries(result);
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  if (key === null || typeof key === 'boolean' || typeof key === 'bigint') return String(key);
  if (typeof key === 'number' && Number.isInteger(key)) return String(key);
  if (typeof key === 'number' || key instanceof Float) return floatKey(Number(key));
  throw new Error(key instanceof Time ? `the date ${key.text} cannot be a key` : 'a list or mapping cannot be a key');
}

function floatKey(value: number): string {
  if (Number.isFinite(value)) return printFloat(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}
