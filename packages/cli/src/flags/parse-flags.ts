import { type Argument, InvalidArgumentError, type Option } from 'commander';
import { type Fields, isFields, isWebAddress, LONGEST_SECONDS, nearest, tryParse } from '@data-designer/core';

/** Collects repeatable `KEY=VALUE` options as a mapping. */
export function pairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be written as KEY=VALUE.');
  return { ...before, [key]: value };
}

/** Parses a JSON object. */
export function jsonObject(text: string): Fields {
  const value: unknown = tryParse(text, JSON.parse);
  if (isFields(value)) return value;
  throw new InvalidArgumentError('It must be a JSON object, such as {"top_k": 20}.');
}

const NO_ADDRESS = 'It must start with http:// or https://.';

/** Validates the address of a server: true, or what is wrong. */
export function checkAddress(text: string): true | string {
  return isWebAddress(text) || NO_ADDRESS;
}

/** Parses the address of a server. */
export function address(text: string): string {
  if (isWebAddress(text)) return text;
  throw new InvalidArgumentError(NO_ADDRESS);
}

/** Parses a number that `fits`; `kind` describes such numbers in the error message. */
export function parseNumber(fits: (value: number) => boolean, kind: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && fits(value)) return value;
    throw new InvalidArgumentError(`It must be ${kind}.`);
  };
}

/** Parses the number of a port; 0 is any free one. */
export function parsePort(text: string): number {
  return parseNumber(
    (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
    'a port: a number from 0 to 65535',
  )(text);
}

/** Parses a whole number of at least `minimum`. */
export function atLeast(minimum: number): (text: string) => number {
  return parseNumber((value) => Number.isSafeInteger(value) && value >= minimum, `a whole number, ${minimum} or more`);
}

/** Parses a number above `bound`. */
export function above(bound: number): (text: string) => number {
  return parseNumber((value) => Number.isFinite(value) && value > bound, `a number above ${bound}`);
}

/** Parses the path of an HTML file. */
export function parseHtmlPath(text: string): string {
  if (text.toLowerCase().endsWith('.html')) return text;
  throw new InvalidArgumentError('It must end in .html.');
}

/** Parses one of `words`, in any case. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((one) => one === text.toLowerCase().replaceAll('-', '_'));
    if (word !== undefined) return word;
    throw new InvalidArgumentError(choicesFor(text, words));
  };
}

/** Has a flag or an argument take only one of `words`, and name the nearest one for others. */
export function withChoices<Flag extends Option | Argument>(flag: Flag, words: readonly string[]): Flag {
  flag.choices(words);
  flag.argParser((text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(choicesFor(text, words));
  });
  return flag;
}

/** What other tools call some choices. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['trl-dpo', 'trl-preference'],
  ['dpo', 'trl-preference'],
  ['preference', 'trl-preference'],
  ['sft', 'trl-sft'],
  ['openai', 'openai-ft'],
  ['openai-dpo', 'openai-preference'],
  ['chatml', 'chat-jsonl'],
  ['messages', 'chat-jsonl'],
  ['json', 'jsonl'],
]);

/** The nearest of some words, and all of them. */
function choicesFor(text: string, words: readonly string[]): string {
  const meant = OTHER_WORDS.get(text);
  const near = meant !== undefined && words.includes(meant) ? meant : nearest(text, words);
  const hint = near === undefined ? '' : `Did you mean ${near}? `;
  return `${hint}Allowed choices are ${words.join(', ')}.`;
}

/** Collects the values of a repeatable flag. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Collects the comma-separated values of a repeatable flag. */
export function collectNames(names: string, before: readonly string[] = []): string[] {
  const given = names.split(',').map((name) => name.trim());
  return [...before, ...given.filter((name) => name !== '')];
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Parses a duration such as `30m` to seconds; throws `InvalidArgumentError` for other text, and if no timer can hold it. */
export function parseDuration(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(amount) * (SECONDS[unit as keyof typeof SECONDS] ?? 0);
  if (seconds > LONGEST_SECONDS) {
    throw new InvalidArgumentError(`It must be at most ${Math.floor(LONGEST_SECONDS / SECONDS.h)}h.`);
  }
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be a time, such as 90s, 30m, 2h or 1d.');
}
