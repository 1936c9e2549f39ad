import { type CellValue, printFloat, type Row } from '@data-designer/core';
import { mistakesInNumbers, mistakesInRatios } from './number-mistakes.ts';
import { type Check, type Drawn, type SamplerRow, textOf, type ValueRow } from './sampler-row.ts';

const TYPES = { float: 'Float64', int: 'Int64', str: 'Utf8', object: 'Utf8' } as const;

/** Where values that were drawn leave what was observed, in words; empty where they do nowhere. */
export function mistakesInValues(facts: ValueRow, drawn: Drawn): string[] {
  const { value_type: type, ratios, joint_key: key, joint_ratios: joint } = facts;
  const hasNumbers = facts.quantiles !== undefined || facts.mean !== undefined || facts.support !== undefined;
  return [
    ...(drawn.type === TYPES[type] ? [] : [`the column is ${drawn.type}`]),
    ...(hasNumbers ? mistakesInNumbers(numbersOf(facts, drawn), facts) : []),
    ...(ratios ? mistakesInRatios(textsOf(facts, drawn), ratios) : []),
    ...(key !== undefined && joint ? mistakesInRatios(drawn.records.map(jointKeyOf(key)), joint) : []),
    ...mistakesInPattern(facts, drawn),
    ...(facts.checks ?? []).flatMap((check) => mistakesInCheck(check, facts, drawn)),
  ];
}

/** How the texts are made that the shares of several columns together are counted by. */
const JOINT_KEYS: Readonly<Record<string, (row: Row) => string>> = {
  'g|x': ({ g, x }) => `${g as string}|${x as string}`,
  'k|x': ({ k, x }) => `${k as string}|${x as string}`,
  'k|floor(x/10)': ({ k, x }) => `${k as string}|${Math.floor(Number(x) / 10)}`,
  'high when n > 3, else low': ({ n }) => (Number(n) > 3 ? 'high' : 'low'),
};

function jointKeyOf(key: string): (row: Row) => string {
  const read = JOINT_KEYS[key];
  if (!read) throw new Error(`the facts have a key that is not known here: ${key}`);
  return read;
}

/** What the numbers of the facts were made of. */
function numbersOf({ numbers_are: origin, target }: SamplerRow, { values, records }: Drawn): number[] {
  if (origin === undefined || origin.endsWith('read as a number')) return values.map(Number);
  if (origin.startsWith('seconds since 1970-01-01')) return values.map(secondsOf);
  const unit = /^x minus ref in units of (\d+) s$/.exec(origin)?.[1];
  if (unit === undefined) throw new Error(`the facts have numbers that are not known here: ${origin}`);
  return records.map((row) => (secondsOf(row[target]) - secondsOf(row.ref)) / Number(unit));
}

/** Seconds from 1970 to a time in UTC. */
function secondsOf(time: CellValue | undefined): number {
  return Date.parse(`${time as string}Z`) / 1000;
}

function textsOf(facts: SamplerRow, drawn: Drawn): string[] {
  if (facts.numbers_are !== undefined) return numbersOf(facts, drawn).map(String);
  const print = facts.value_type === 'float' ? (value: CellValue) => printFloat(Number(value)) : textOf;
  return drawn.values.map(print);
}

function mistakesInPattern({ pattern }: SamplerRow, { values }: Drawn): string[] {
  if (pattern === undefined) return [];
  const whole = new RegExp(`^(?:${pattern})$`, 'su');
  const wrong = values.filter((value) => typeof value !== 'string' || !whole.test(value));
  return wrong.length === 0 ? [] : [`${wrong.length} do not look as they should, such as ${textOf(wrong[0])}`];
}

const COMPARES: Readonly<Record<string, (value: number, other: number) => boolean>> = {
  lt: (value, other) => value < other,
  le: (value, other) => value <= other,
  gt: (value, other) => value > other,
  ge: (value, other) => value >= other,
};

/** How many values do not keep what a check says. */
const BREAKS: Readonly<Record<Check['check'], (check: Check, drawn: Drawn) => number>> = {
  unique: (_, { values }) => values.length - new Set(values).size,
  max_decimals: ({ value = 0 }, { values }) =>
    values.filter((one) => Number(Number(one).toFixed(value)) !== one).length,
  compare_column: ({ operator = '', column = '' }, { values, records }) =>
    values.filter((one, at) => COMPARES[operator]?.(Number(one), Number(records[at]?.[column])) !== true).length,
};

function mistakesInCheck(check: Check, { value_type: type }: SamplerRow, drawn: Drawn): string[] {
  const broken = BREAKS[check.check](check, drawn);
  return broken === 0 ? [] : [`${broken} of these ${type} do not keep ${JSON.stringify(check)}`];
}
