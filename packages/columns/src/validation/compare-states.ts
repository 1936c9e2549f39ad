import { type CellValue, isFields, isList, stringifyJson, unboxed } from '@data-designer/core';

/** One place in which two states differ; values are JSON text, null where there is none. */
export interface StateDifference {
  readonly path: string;
  readonly expected: string | null;
  readonly found: string | null;
}

/** More differences are counted as one. */
const MOST_DIFFERENCES = 100;
const MOST_SHOWN = 1_000;

/** The places in which a state differs from an expected one, without those under ignored paths. */
export function compareStates(
  expected: CellValue,
  found: CellValue,
  ignore: readonly string[],
): readonly StateDifference[] {
  const ignored = ignore.map(stepsOf);
  const differences: StateDifference[] = [];
  const add = (path: readonly string[], one: CellValue | undefined, other: CellValue | undefined) => {
    differences.push({ path: printed(path), expected: shown(one), found: shown(other) });
  };
  const compare = (one: CellValue | undefined, other: CellValue | undefined, path: readonly string[]): void => {
    if (differences.length > MOST_DIFFERENCES || ignored.some((pattern) => matches(pattern, path))) return;
    if (one === undefined || other === undefined) {
      add(path, one, other);
    } else if (isList(one) && isList(other)) {
      for (let at = 0; at < Math.max(one.length, other.length); at++)
        compare(one[at], other[at], [...path, String(at)]);
    } else if (isRecord(one) && isRecord(other)) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
      for (const key of keys) compare(memberOf(one, key), memberOf(other, key), [...path, key]);
    } else if (!isEqual(one, other)) {
      add(path, one, other);
    }
  };
  compare(unboxed(expected), unboxed(found), []);
  return differences.slice(0, MOST_DIFFERENCES);
}

type CellRecord = Readonly<Record<string, CellValue>>;

function isRecord(value: CellValue): value is CellRecord {
  return isFields(value);
}

function memberOf(record: CellRecord, key: string): CellValue | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Whether two values are the same; numbers by their value, also beyond 2^53. */
export function isEqual(one: CellValue, other: CellValue): boolean {
  const [a, b] = [unboxed(one), unboxed(other)];
  const areNumbers = [a, b].every((value) => typeof value === 'number' || typeof value === 'bigint');
  // oxlint-disable-next-line eqeqeq -- a bigint and a number of the same value are equal
  if (areNumbers) return a == b;
  return typeof a === 'object' && a !== null ? stringifyJson(a) === stringifyJson(b) : a === b;
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

function printed(path: readonly string[]): string {
  return path.map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((step, at) => step === '*' || step === path[at]);
}
