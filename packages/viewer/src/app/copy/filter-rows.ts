import type { ColumnInfo } from '../../api/columns.ts';
import type { Condition, Filter } from '../../api/filter.ts';
import type { RowReview } from '../../api/reviews.ts';
import type { CopiedRows } from './copied-rows.ts';

interface FilterOptions {
  readonly rows: CopiedRows;
  readonly columns: readonly ColumnInfo[];
  readonly reviews: ReadonlyMap<number, RowReview>;
}

/** The positions of the rows within a filter, in its order. Throws for a SQL condition. */
export async function filterRows(
  filter: Filter,
  { rows, columns, reviews }: FilterOptions,
): Promise<readonly number[]> {
  const { where = [], search, sql, model, tool, sort = [], review } = filter;
  if (sql)
    throw new Error('A static copy has no database for SQL conditions. Use `data-designer view` on the dataset.');
  let found = Array.from({ length: rows.total }, (_, at) => at);
  if (review) found = found.filter((at) => hasReview(review, reviews.get(at)));
  for (const condition of where) {
    const values = await rows.column(condition.column);
    found = found.filter((at) => isTrue(condition, memberOf(values[at], condition.path ?? [])));
  }
  if (search) {
    const all = await Promise.all(columns.map(({ name }) => rows.column(name)));
    const wanted = search.toLowerCase();
    found = found.filter((at) => all.some((values) => textOf(values[at]).toLowerCase().includes(wanted)));
  }
  if (model) {
    const made = columns.filter(({ models }) => models.includes(model));
    const all = await Promise.all(made.map(({ name }) => rows.column(name)));
    found = found.filter((at) => all.some((values) => (values[at] ?? null) !== null));
  }
  if (tool) {
    const traces = columns.filter(({ shown }) => shown === 'conversation');
    const all = await Promise.all(traces.map(({ name }) => rows.column(name)));
    found = found.filter((at) => all.some((values) => callsTool(values[at], tool)));
  }
  for (const { column, descending } of sort.toReversed()) {
    const values = await rows.column(column);
    found = found.toSorted((a, b) => order(values[a], values[b], descending));
  }
  return found;
}

/** Whether a message of a conversation calls a tool. */
function callsTool(conversation: unknown, tool: string): boolean {
  const calls = itemsIn(conversation).flatMap((message) => itemsIn(memberOf(message, ['tool_calls'])));
  return calls.some((call) => memberOf(call, ['function', 'name']) === tool);
}

function itemsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function hasReview(wanted: NonNullable<Filter['review']>, review: RowReview | undefined): boolean {
  if (wanted === 'none') return review === undefined;
  if (wanted === 'reviewed' || review === undefined) return review !== undefined;
  return wanted === 'stale' ? review.isStale : review.verdict === wanted && !review.isStale;
}

function memberOf(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== 'object' || member === null) return null;
    member = (member as Readonly<Record<string, unknown>>)[name] ?? null;
  }
  return member;
}

/** A value as the text that a search reads. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
}

/** Whether a value fits a condition; null fits `null` alone, as in SQL. */
function isTrue(condition: Condition, value: unknown): boolean {
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
  const [one, other] = [Number(value), Number(bound)];
  if (Number.isFinite(one) && Number.isFinite(other)) return one - other;
  const [text, limit] = [String(value), String(bound)];
  return text < limit ? -1 : text > limit ? 1 : 0;
}

/** Nulls come last in both directions. */
function order(one: unknown, other: unknown, descending: boolean): number {
  const [isNull, isOtherNull] = [one ?? null, other ?? null].map((value) => value === null);
  if (isNull || isOtherNull) return Number(isNull) - Number(isOtherNull);
  const [a, b] = typeof one === 'object' || typeof other === 'object' ? [textOf(one), textOf(other)] : [one, other];
  return descending ? compare(b, a) : compare(a, b);
}
