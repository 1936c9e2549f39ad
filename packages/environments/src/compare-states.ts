import { type CellValue, isFields, isList, stringifyJson, unboxed } from '@data-designer/core';

/** One place in which two states differ; values are JSON text, null where there is none. */
export interface StateDifference {
  readonly path: string;
  readonly expected: string | null;
  readonly found: string | null;
}

/** One change of a state; values are JSON text, null where there is none. */
export interface StateChange {
  /** As in `account[id=leo].balance`; empty for the whole state. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The changes of a state. */
export interface StateChanges {
  /** At most 100. */
  readonly changes: readonly StateChange[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** More differences are not listed. */
const MOST_DIFFERENCES = 100;
const MOST_SHOWN = 1_000;

type Maybe = CellValue | undefined;

/** Two items of lists that are compared with each other, and the step of a path to them. */
type Pair = readonly [step: string, one: Maybe, other: Maybe];

/** The places in which a state differs from an expected one, without those under ignored paths. */
export function compareStates(
  expected: CellValue,
  found: CellValue,
  ignore: readonly string[],
): readonly StateDifference[] {
  const ignored = ignore.map(stepsOf);
  const isIgnored = (path: readonly string[]) => ignored.some((pattern) => matches(pattern, path));
  const differences = differencesOf(expected, found, { pairs: byPosition, isIgnored });
  return differences
    .slice(0, MOST_DIFFERENCES)
    .map(([path, one, other]) => ({ path: printed(path), expected: shown(one), found: shown(other) }));
}

/** What changed from a state to a later one; rows of tables are compared by the first member that tells them apart. */
export function stateChanges(before: CellValue, after: CellValue): StateChanges {
  const differences = differencesOf(before, after, { pairs: pairsOf, isIgnored: () => false });
  const changes = differences
    .slice(0, MOST_DIFFERENCES)
    .map(([path, one, other]) => ({ path: printed(path), before: shown(one), after: shown(other) }));
  return { changes, isCut: differences.length > changes.length };
}

type Difference = readonly [path: readonly string[], one: Maybe, other: Maybe];

/** How two states are walked through. */
interface Walk {
  readonly pairs: (one: readonly CellValue[], other: readonly CellValue[]) => readonly Pair[];
  readonly isIgnored: (path: readonly string[]) => boolean;
}

/** The places in which two values differ, up to one beyond the most that are listed. */
function differencesOf(first: CellValue, second: CellValue, { pairs, isIgnored }: Walk): readonly Difference[] {
  const differences: Difference[] = [];
  const compare = (one: Maybe, other: Maybe, path: readonly string[]): void => {
    if (differences.length > MOST_DIFFERENCES || isIgnored(path)) return;
    if (one === undefined || other === undefined) {
      differences.push([path, one, other]);
    } else if (isList(one) && isList(other)) {
      for (const [step, a, b] of pairs(one, other)) compare(a, b, [...path, step]);
    } else if (isRecord(one) && isRecord(other)) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
      for (const key of keys) compare(memberOf(one, key), memberOf(other, key), [...path, key]);
    } else if (!isEqual(one, other)) {
      differences.push([path, one, other]);
    }
  };
  compare(unboxed(first), unboxed(second), []);
  return differences;
}

function byPosition(one: readonly CellValue[], other: readonly CellValue[]): readonly Pair[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [String(at), one[at], other[at]]);
}

/** Pairs rows of the same key; items of other lists by their positions after the beginning that is the same. */
function pairsOf(one: readonly CellValue[], other: readonly CellValue[]): readonly Pair[] {
  const key = keyOf(one, other);
  if (key !== undefined) {
    const rows = [one, other].map((list) => new Map(list.map((row) => [keyStep(row, key), row])));
    const steps = new Set(rows.flatMap((byStep) => [...byStep.keys()]));
    return [...steps].map((step) => [step, rows[0]?.get(step), rows[1]?.get(step)]);
  }
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && isEqual(one[start] ?? null, other[start] ?? null)) start++;
  let end = 0;
  while (end < shorter - start && isEqual(one.at(-1 - end) ?? null, other.at(-1 - end) ?? null)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return byPosition(left, right).map(([step, a, b]) => [String(start + Number(step)), a, b]);
}

/** The first member that all rows of two tables have, and that differs among the rows of each. */
function keyOf(one: readonly CellValue[], other: readonly CellValue[]): string | undefined {
  const [first] = one.length > 0 ? one : other;
  if (first === undefined || !isRecord(first)) return undefined;
  return Object.keys(first).find((key) =>
    [one, other].every((list) => {
      const steps = new Set<string>();
      for (const row of list) {
        const value = isRecord(row) ? memberOf(row, key) : undefined;
        if (value === undefined || value === null || typeof value === 'object') return false;
        steps.add(keyStep(row, key));
      }
      return steps.size === list.length;
    }),
  );
}

function keyStep(row: CellValue, key: string): string {
  const value = (isRecord(row) ? row[key] : undefined) ?? null;
  return `[${key}=${typeof value === 'string' ? value : stringifyJson(value)}]`;
}

type CellRecord = Readonly<Record<string, CellValue>>;

function isRecord(value: CellValue): value is CellRecord {
  return isFields(value);
}

function memberOf(record: CellRecord, key: string): Maybe {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Whether two values are the same; numbers by their value, also beyond 2^53. */
export function isEqual(one: CellValue, other: CellValue): boolean {
  const [a, b] = [unboxed(one), unboxed(other)];
  const areNumbers = [a, b].every((value) => typeof value === 'number' || typeof value === 'bigint');
  // oxlint-disable-next-line eqeqeq -- a bigint and a number of the same value are equal
  if (areNumbers) return a == b;
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  const haveParts = (isList(a) && isList(b)) || (isRecord(a) && isRecord(b));
  return haveParts ? compareStates(a, b, []).length === 0 : stringifyJson(a) === stringifyJson(b);
}

/** Text of a value for a difference. */
export function shown(value: CellValue | undefined): string | null {
  if (value === undefined) return null;
  const text = stringifyJson(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** The steps of a path such as `account[0].balance`; `*` matches any step. */
function stepsOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== '');
}

/** A longer key of a row is cut in a path. */
const MOST_KEY = 80;

function printed(path: readonly string[]): string {
  return path
    .map((step, at) => {
      if (/^\[[^]*=[^]*\]$/.test(step)) return step.length > MOST_KEY ? `${step.slice(0, MOST_KEY)}…]` : step;
      return /^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`;
    })
    .join('');
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((step, at) => step === '*' || step === path[at]);
}
