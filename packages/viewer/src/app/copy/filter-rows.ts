import { toolFailurePrefix } from '@data-designer/core/tool-failure';
import type { ColumnInfo } from '../../api/columns.ts';
import type { Condition, Filter } from '../../api/filter.ts';
import type { RowReview } from '../../api/reviews.ts';
import { fitsReview } from '../../review-kinds.ts';
import { memberOf } from '../../server/cut-cell.ts';
import type { CopiedRows } from './copied-rows.ts';
import { dateReader, readIsoDate } from './read-date.ts';
import { RowNumbers } from './row-numbers.ts';

interface FilterOptions {
  readonly rows: CopiedRows;
  readonly columns: readonly ColumnInfo[];
  readonly reviews: ReadonlyMap<number, RowReview>;
  readonly signal: AbortSignal;
}

type Row = Readonly<Record<string, unknown>>;

/** A part of a filter: whether it holds for a row, and the columns that it reads. */
interface Test {
  readonly columns: readonly string[];
  readonly holds: (row: Row, position: number) => boolean;
}

/** The positions of the rows within a filter, in the order of the dataset. Throws for a SQL condition, and once aborted. */
export async function filterRows(filter: Filter, { rows, signal, ...context }: FilterOptions): Promise<Uint32Array> {
  const tests = testsOf(filter, context);
  const found = new RowNumbers();
  const columns = tests.flatMap((test) => test.columns);
  if (columns.length === 0) {
    for (let at = 0; at < rows.total; at++) if (tests.every(({ holds }) => holds({}, at))) found.add(at);
    return found.all();
  }
  for await (const { first, rows: scanned } of rows.scan(columns, signal)) {
    for (const [at, row] of scanned.entries()) {
      if (tests.every(({ holds }) => holds(row, first + at))) found.add(first + at);
    }
  }
  return found.all();
}

function testsOf(
  { where = [], search, sql, model, tool, failedTool, review }: Filter,
  { columns, reviews }: Pick<FilterOptions, 'columns' | 'reviews'>,
): readonly Test[] {
  if (sql)
    throw new Error('A static copy has no database for SQL conditions. Use `data-designer view` on the dataset.');
  const tests: Test[] = where.map((condition) => ({
    columns: [condition.column],
    holds: conditionTest(condition, columns),
  }));
  if (review) tests.push({ columns: [], holds: (_, position) => fitsReview(review, reviews.get(position)) });
  if (search) tests.push(searchTest(search, columns));
  if (model) {
    const made = columns.filter(({ models }) => models.includes(model));
    tests.push(anyOf(made, (value) => (value ?? null) !== null));
  }
  const traces = columns.filter(({ shown }) => shown === 'conversation');
  if (tool) tests.push(anyOf(traces, (value) => callsTool(value, tool)));
  if (failedTool) tests.push(anyOf(traces, (value) => hasFailedCall(value, failedTool)));
  return tests;
}

/** Numbers are searched for the text of a number alone. */
function searchTest(search: string, columns: readonly ColumnInfo[]): Test {
  const isNumber = /^[-+\d.eE]+$/.test(search);
  const searched = columns.filter(({ isNested, type }) => isNested || type === 'utf8' || isNumber);
  const wanted = search.toLowerCase();
  return anyOf(searched, (value) => textOf(value).toLowerCase().includes(wanted));
}

/** A test that holds where it does for one of the columns; without a column for no row. */
function anyOf(columns: readonly ColumnInfo[], holds: (value: unknown) => boolean): Test {
  const names = columns.map(({ name }) => name);
  return { columns: names, holds: (row) => names.some((name) => holds(row[name])) };
}

/** Whether a message of a conversation calls a tool. */
function callsTool(conversation: unknown, tool: string): boolean {
  const calls = itemsIn(conversation).flatMap((message) => itemsIn(memberOf(message, ['tool_calls'])));
  return calls.some((call) => memberOf(call, ['function', 'name']) === tool);
}

/** Whether a call of a tool failed in a conversation. */
function hasFailedCall(conversation: unknown, tool: string): boolean {
  return itemsIn(conversation).some((message) => {
    const content = memberOf(message, ['content']);
    const isAnswer = memberOf(message, ['role']) === 'tool' && typeof content === 'string';
    return isAnswer && content.startsWith(toolFailurePrefix(tool));
  });
}

function itemsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as the text that a search reads. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}

function conditionTest(condition: Condition, columns: readonly ColumnInfo[]): Test['holds'] {
  const { column, path = [] } = condition;
  const valueOf = (row: Row): unknown => memberOf(row[column], path);
  if (condition.op !== 'dates') return (row) => isTrue(condition, valueOf(row));
  const format = columns.find(({ name }) => name === column)?.dateFormat ?? null;
  const read = dateReader(path.length > 0 ? null : format);
  const low = readIsoDate(condition.low);
  const high = condition.high === null ? Infinity : readIsoDate(condition.high);
  return (row) => {
    const time = read(textOf(valueOf(row)));
    return time >= low && time < high;
  };
}

/** Whether a value fits a condition; null fits `null` alone, as in SQL. */
function isTrue(condition: Exclude<Condition, { readonly op: 'dates' }>, value: unknown): boolean {
  const isNull = value === null || value === undefined;
  if (condition.op === 'null' || condition.op === 'not-null') return isNull === (condition.op === 'null');
  if (isNull) return false;
  switch (condition.op) {
    case 'equals':
    case 'not':
      return isEqual(value, condition.value) === (condition.op === 'equals');
    case 'one-of':
      return condition.values.some((one) => isEqual(value, one));
    case 'less':
      return compare(value, condition.value) < 0;
    case 'at-most':
      return compare(value, condition.value) <= 0;
    case 'more':
      return compare(value, condition.value) > 0;
    case 'at-least':
      return compare(value, condition.value) >= 0;
    case 'contains':
      return textOf(value).toLowerCase().includes(condition.text.toLowerCase());
    case 'matches':
      return new RegExp(condition.text, 'u').test(textOf(value));
    case 'between':
    case 'length': {
      const measured = condition.op === 'length' ? textOf(value).length : value;
      const high = compare(measured, condition.high);
      return compare(measured, condition.low) >= 0 && (condition.isLast ? high <= 0 : high < 0);
    }
  }
}

function isEqual(value: unknown, wanted: string | number | boolean): boolean {
  return value === wanted || String(value) === String(wanted);
}

function compare(value: unknown, bound: unknown): number {
  if (typeof value !== 'string') return Number(value) - Number(bound);
  if (typeof bound === 'number') return Number(value) - bound;
  const [text, limit] = [momentText(value), momentText(String(bound))];
  return text < limit ? -1 : text > limit ? 1 : 0;
}

const MOMENT = /^(?<day>\d{4}-\d\d-\d\d)[ T](?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d*?)0*)?(?:Z|\+00:00)?$/;

/** A time in one form: bounds and values have different ones. */
function momentText(text: string): string {
  return text.replace(MOMENT, '$<day>T$<time>.$<fraction>');
}
