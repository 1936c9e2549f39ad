import type { core } from 'zod';
import { Float, knownNames, printFloat, type Violation } from '@data-designer/core';
import { loadRemedies } from './load-remedies.ts';
import { isMapping, partOf } from './spelling.ts';

/** The texts of a violation, and its type. */
type Told = Pick<Violation, 'type' | 'message' | 'remedy'>;

/** The message of a missing key. */
export const MISSING_MESSAGE = 'this key is missing.';

/** The longest text that a message quotes. */
const LONGEST_TEXT = 60;

/** Zod's own messages start like this; others are ours. */
const OF_ZOD = /^(?:Invalid |Too (?:big|small))/;

/** Whether the schema says itself what is wrong. */
export function isOwnMessage(message: string): boolean {
  return message !== '' && !OF_ZOD.test(message);
}

/** An issue of zod as a message and a remedy; `isPrivate` if the value could be a key, which no message quotes. */
export function describeIssue(issue: core.$ZodIssue, value: unknown, { isPrivate = false } = {}): Told {
  const found = issue.path.reduce<unknown>(partOf, value);
  const shown = isPrivate ? kindOf(found) : quoted(found);
  const wrongKind = (kinds: string) => {
    const key = issue.path.findLast((step) => typeof step === 'string') ?? '';
    const remedy = isPrivate ? undefined : loadRemedies().remedyOfValue({ key, expected: kinds, found });
    return invalid(`expected ${kinds}, found ${shown}.`, remedy ?? `Change it to ${kinds}.`);
  };
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return unknownKind(issue.options.filter((option) => option !== undefined).map(String), found);
  }
  const own = isOwnMessage(issue.message) ? closed(issue.message) : undefined;
  if (found === undefined) {
    const isRule = own !== undefined && !own.startsWith('expected ');
    if (isRule) return { ...ownMessage(issue.message, 'add it'), type: 'missing' };
    return { type: 'missing', message: MISSING_MESSAGE, remedy: `Add it, with ${expected(issue)} as its value.` };
  }
  const [, kinds] = /^expected (a (?:whole )?number)$/.exec(issue.message) ?? [];
  if (kinds !== undefined) return wrongKind(kinds);
  if (own !== undefined) return ownMessage(issue.message);
  if (issue.code === 'too_big' || issue.code === 'too_small') return outOfBounds(issue, shown);
  const allowed = isPrivate || typeof found !== 'string' ? [] : allowedBy(issue);
  if (allowed.length > 1) return notAllowed(allowed, found);
  return wrongKind(expected(issue));
}

function invalid(message: string, remedy: string): Told {
  return { type: 'invalid_value', message, remedy };
}

/** A message of a schema: the mistake, and after a semicolon the remedy. */
function ownMessage(text: string, otherwise = 'correct the value'): Told {
  const [, mistake = text, remedy = otherwise] = /^(.*); ([^;]+)$/s.exec(text) ?? [];
  const told = `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`;
  return invalid(closed(mistake), closed(told));
}

function unknownKind(known: readonly string[], found: unknown): Told {
  const name = typeof found === 'string' ? found : '';
  const wrong = typeof found === 'string' ? `unknown name '${name}'.` : `expected a name, found ${kindOf(found)}.`;
  const message = found === undefined ? MISSING_MESSAGE : wrong;
  return { type: 'unknown_kind', message, remedy: knownNames(name, known) };
}

/** A message of ours as a sentence. */
function closed(message: string): string {
  return /[.?]$/.test(message) ? message : `${message}.`;
}

/** The values that an issue allows, one of several forms included. */
function allowedBy(issue: core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return issue.code === 'invalid_union' ? issue.errors.flatMap(([first]) => (first ? allowedBy(first) : [])) : [];
}

function notAllowed(values: readonly string[], found: unknown): Told {
  return invalid(
    `${quoted(found)} is not an allowed value.`,
    knownNames(loadRemedies().ourName(String(found), values), values),
  );
}

function outOfBounds(issue: core.$ZodIssueTooBig | core.$ZodIssueTooSmall, shown: string): Told {
  const isBig = issue.code === 'too_big';
  const bound = String(isBig ? issue.maximum : issue.minimum);
  const most = isBig ? 'most' : 'least';
  if (issue.origin === 'array') {
    return invalid(
      `the list needs at ${most} ${pluralized(bound, 'entry')}.`,
      isBig ? 'Remove entries.' : 'Add entries.',
    );
  }
  if (issue.origin === 'string') {
    if (bound === '1' && !isBig) return invalid('the text must not be empty.', 'Write a text.');
    const remedy = isBig ? 'Shorten the text.' : 'Write a longer text.';
    return invalid(`the text needs at ${most} ${pluralized(bound, 'character')}.`, remedy);
  }
  const rule = issue.inclusive ? `at ${most}` : isBig ? 'below' : 'above';
  return invalid(
    `the value must be ${rule} ${bound}, but is ${shown}.`,
    `Use a value ${issue.inclusive ? 'of ' : ''}${rule} ${bound}.`,
  );
}

function pluralized(count: string, noun: 'entry' | 'character'): string {
  if (count === '1') return `1 ${noun}`;
  return `${count} ${noun === 'entry' ? 'entries' : 'characters'}`;
}

/** The kinds of values in words, by zod's names. */
const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  tuple: 'a list',
  string: 'text',
  number: 'a number',
  bigint: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** The values that an issue allows, in words. */
function expected(issue: core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_union') {
    const kinds = issue.errors.flatMap(([first]) => (first ? [expected(first)] : []));
    return [...new Set(kinds)].join(' or ') || 'a value';
  }
  if (issue.code === 'invalid_value') return issue.values.map((value) => quoted(value)).join(' or ');
  if (issue.code === 'invalid_format') return `a value of the format ${issue.format}`;
  return /^expected ([^;]+)/.exec(issue.message)?.[1] ?? 'a valid value';
}

/** The kind of a value for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return 'a number';
  if (typeof value === 'string') return 'text';
  return isMapping(value) ? 'a mapping' : `a ${typeof value}`;
}

/** A value for messages: text in quotes and shortened, lists and mappings by their kind. */
function quoted(value: unknown): string {
  if (typeof value === 'string') {
    return `'${value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value}'`;
  }
  if (value instanceof Float) return printFloat(value.value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : printFloat(value);
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : kindOf(value);
}
