import { countCharacters } from '@data-designer/core';
import { toolFailurePrefix } from '@data-designer/core/tool-failure';
import type { ColumnInfo } from '../../api/columns.ts';
import type { Condition, Filter } from '../../api/filter.ts';
import type { RowReview } from '../../api/reviews.ts';
import { cellTexts, foldCase, memberText, searchedColumns, type TextOf } from '../../cell-texts.ts';
import { fitsReview } from '../../review-kinds.ts';
import { memberOf } from '../../server/cut-cell.ts';
import { comparedWith, textComparedWith } from './compare-values.ts';
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
  const tests = testsOf(filter, { ...context, rows, texts: cellTexts(rows.fields) });
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

interface TestContext extends Omit<FilterOptions, 'signal'> {
  readonly texts: CellTexts;
}

function testsOf(
  { where = [], search, sql, model, tool, failedTool, review }: Filter,
  context: TestContext,
): readonly Test[] {
  const { columns, reviews, texts } = context;
  if (sql)
    throw new Error('A static copy has no database for SQL conditions. Use `data-designer view` on the dataset.');
  const tests: Test[] = where.map((condition) => ({
    columns: [condition.column],
    holds: conditionTest(condition, context),
  }));
  if (review) tests.push({ columns: [], holds: (_, position) => fitsReview(review, reviews.get(position)) });
  if (search) tests.push(searchTest(search, columns, texts));
  if (model) {
    const made = columns.filter(({ models }) => models.includes(model));
    tests.push(anyOf(made, (value) => (value ?? null) !== null));
  }
  const traces = columns.filter(({ shown }) => shown === 'conversation');
  if (tool) tests.push(anyOf(traces, (value) => callsTool(value, tool)));
  if (failedTool) tests.push(anyOf(traces, (value) => hasFailedCall(value, failedTool)));
  return tests;
}

function searchTest(search: string, columns: readonly ColumnInfo[], texts: CellTexts): Test {
  const wanted = foldCase(search);
  const searched = searchedColumns(columns, search).map(({ name }) => ({ name, text: textIn(texts, name) }));
  return {
    columns: searched.map(({ name }) => name),
    holds: (row) => searched.some(({ name, text }) => foldCase(text(row[name])).includes(wanted)),
  };
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

type CellTexts = ReadonlyMap<string, TextOf>;

/** The texts of a column, which are empty for null. */
function textIn(texts: CellTexts, column: string): TextOf {
  const write = texts.get(column) ?? String;
  return (value) => (value === null || value === undefined ? '' : write(value));
}

function conditionTest(condition: Condition, { columns, rows, texts }: TestContext): Test['holds'] {
  const { column, path = [] } = condition;
  const valueOf = (row: Row): unknown => memberOf(row[column], path);
  const type = rows.fields.find(({ name }) => name === column)?.type ?? 'utf8';
  const text = path.length > 0 ? memberText(type, path) : textIn(texts, column);
  if (asksForNull(condition)) return (row) => isNull(valueOf(row)) === (condition.op === 'null');
  if (condition.op === 'dates') {
    const format = columns.find(({ name }) => name === column)?.dateFormat ?? null;
    const holds = datesTest(condition, dateReader(path.length > 0 ? null : format));
    return (row) => !isNull(valueOf(row)) && holds(text(valueOf(row)));
  }
  const compared = (bound: Bound): ReturnType<typeof comparedWith> =>
    path.length > 0 ? textComparedWith(bound, text) : comparedWith(bound, type);
  const holds = valueTest(condition, { compared, text });
  // Null fits `not` alone besides `null`.
  return (row) => (isNull(valueOf(row)) ? condition.op === 'not' : holds(valueOf(row)));
}

type NullCondition = Extract<Condition, { readonly op: 'null' | 'not-null' }>;

function asksForNull(condition: Condition): condition is NullCondition {
  return condition.op === 'null' || condition.op === 'not-null';
}

type Bound = string | number | boolean;

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

function datesTest(
  { low, high }: Extract<Condition, { readonly op: 'dates' }>,
  read: (text: string) => number,
): (text: string) => boolean {
  const [first, end] = [readIsoDate(low), high === null ? Infinity : readIsoDate(high)];
  return (text) => {
    const time = read(text);
    return time >= first && time < end;
  };
}

/** Whether a value that is not null fits a condition. */
function valueTest(
  condition: Exclude<Condition, NullCondition | { readonly op: 'dates' }>,
  { compared, text }: { readonly compared: (bound: Bound) => ReturnType<typeof comparedWith>; readonly text: TextOf },
): (value: unknown) => boolean {
  switch (condition.op) {
    case 'one-of': {
      const tests = condition.values.map(compared);
      return (value) => tests.some((test) => test(value) === 0);
    }
    case 'contains': {
      const wanted = foldCase(condition.text);
      return (value) => foldCase(text(value)).includes(wanted);
    }
    case 'matches': {
      const pattern = patternOf(condition.text);
      return (value) => pattern.test(text(value));
    }
    case 'between':
    case 'length': {
      const { low, high, op, isLast = false } = condition;
      const [measure, of] =
        op === 'length' ? [asNumber, (value: unknown) => countCharacters(text(value))] : [compared, asIs];
      const [fromLow, fromHigh] = [measure(low), measure(high)];
      return (value) => {
        const [above, below] = [fromLow(of(value)), fromHigh(of(value))];
        return above !== undefined && below !== undefined && above >= 0 && (isLast ? below <= 0 : below < 0);
      };
    }
    default: {
      const [test, fits] = [compared(condition.value), FITS[condition.op]];
      return (value) => fits(test(value));
    }
  }
}

const asIs = (value: unknown): unknown => value;
const asNumber = (bound: Bound): ReturnType<typeof comparedWith> => comparedWith(bound, 'float64');

/** Whether the order of a value and a bound fits; it is undefined for a text that is compared with a number. */
const FITS: Readonly<
  Record<'equals' | 'not' | 'less' | 'at-most' | 'more' | 'at-least', (order: number | undefined) => boolean>
> = {
  equals: (order) => order === 0,
  not: (order) => order !== 0,
  less: (order) => order !== undefined && order < 0,
  'at-most': (order) => order !== undefined && order <= 0,
  more: (order) => order !== undefined && order > 0,
  'at-least': (order) => order !== undefined && order >= 0,
};

/** A regular expression of RE2, whose flags may stand at its beginning. */
function patternOf(text: string): RegExp {
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(text) ?? [];
  return new RegExp(text.slice(whole.length), `u${[...new Set(flags)].join('')}`);
}
