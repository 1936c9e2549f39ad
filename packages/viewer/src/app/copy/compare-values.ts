import { type ArrowType, compareText } from '@data-designer/core';
import { momentText, textOf, type TextOf } from '../../cell-texts.ts';

/** Compares a value with a bound: below zero for a smaller value; undefined where the value is no number. */
type Comparison = (value: unknown) => number | undefined;

type Bound = string | number | boolean;

/** Compares values of a type with a bound as DuckDB does for the served page. Throws for a bound of another kind. */
export function comparedWith(bound: Bound, type: ArrowType): Comparison {
  if (typeof type === 'object') {
    if (!('logical' in type)) return textComparedWith(bound, textOf({ type }));
    if (type.logical === 'decimal') return (value) => compareNumbers(Number(value), numberIn(bound));
    const limit = boundText(String(bound), type.logical);
    return (value) => compareText(localText(String(value)), limit);
  }
  switch (type) {
    case 'int64':
      return typeof bound === 'string' ? comparedWithInteger(bound) : asNumber(Number(bound));
    case 'float64':
      return asNumber(numberIn(bound));
    case 'bool':
      return (value) => Number(value !== (bound === true || bound === 'true'));
    default:
      return typeof bound === 'number' ? asNumber(bound) : (value) => compareText(String(value), String(bound));
  }
}

/** Compares values that are read as text, as members are: with a number as numbers. */
export function textComparedWith(bound: Bound, text: TextOf): Comparison {
  if (typeof bound !== 'number') return (value) => compareText(text(value), String(bound));
  return (value) => {
    const number = readNumber(text(value));
    return number === undefined ? undefined : compareNumbers(number, bound);
  };
}

/** The order of numbers, of which NaN is the largest. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** The number that a text is; undefined for other texts. */
export function readNumber(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  const [, sign, name] = /^([+-]?)(nan|inf|infinity)$/.exec(plain) ?? [];
  if (name !== undefined) return name === 'nan' ? NaN : sign === '-' ? -Infinity : Infinity;
  return /^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(plain)
    ? Number(plain.replaceAll('_', ''))
    : undefined;
}

function asNumber(bound: number): Comparison {
  return (value) => compareNumbers(Number(value), bound);
}

function comparedWithInteger(bound: string): Comparison {
  if (!/^\s*[+-]?\d+\s*$/.test(bound)) throw notReadable(bound, 'a whole number');
  const integer = BigInt(bound.trim().replace(/^\+/, ''));
  return (value) => compareNumbers(typeof value === 'bigint' ? value : BigInt(Number(value)), integer);
}

function numberIn(bound: Bound): number {
  const number = typeof bound === 'string' ? readNumber(bound) : Number(bound);
  if (number === undefined) throw notReadable(String(bound), 'a number');
  return number;
}

const TIME_OF_DAY = /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
const MOMENT = /^(\d{4,}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|\+00(?::?00)?)?$/;

/** The text of a moment without its offset, which is that of UTC. */
function localText(text: string): string {
  return momentText(text).replace(/\+00$/, '');
}

/** A bound as the texts of values are compared: times with seconds, moments with a time of day. */
function boundText(bound: string, kind: 'date' | 'time' | 'timestamp'): string {
  const [, day, time] = kind === 'time' ? [bound, '', bound] : (MOMENT.exec(bound) ?? []);
  if (day === undefined || (kind === 'time' && !TIME_OF_DAY.test(bound))) throw notReadable(bound, `a ${kind}`);
  if (kind === 'date') return day;
  const seconds = `${time ?? '00:00'}${/^\d\d:\d\d$/.test(time ?? '00:00') ? ':00' : ''}`;
  return localText(kind === 'time' ? seconds : `${day} ${seconds}`);
}

function notReadable(bound: string, kind: string): Error {
  return new Error(`The condition cannot be used: '${bound}' is not ${kind}.`);
}
