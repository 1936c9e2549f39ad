import type { Condition, Filter } from '../api/filter.ts';
import { REVIEW_KINDS } from '../review-kinds.ts';
import { formatFigure } from './format.ts';

/** The names of the parameters that hold a filter. */
const FILTER_PARAMS = ['q', 'sql', 'c', 'sort', 'review', 'model', 'tool', 'failedtool'] as const;

/** Reads the filter of a view from its address; parts that no filter can have are left out. */
export function parseFilter(params: URLSearchParams): Filter {
  const [search, sql, model, tool, failedTool] = ['q', 'sql', 'model', 'tool', 'failedtool'].map((name) =>
    params.get(name),
  );
  const where = params.getAll('c').flatMap(parseCondition);
  const sort = params.getAll('sort').map((text) => ({
    ...placeIn(text.replace(/:(asc|desc)$/, '')),
    descending: text.endsWith(':desc'),
  }));
  const review = REVIEW_KINDS.find((name) => name === params.get('review'));
  return {
    ...(where.length > 0 && { where }),
    ...(search && { search }),
    ...(sql && { sql }),
    ...(model && { model }),
    ...(tool && { tool }),
    ...(failedTool && { failedTool }),
    ...(sort.length > 0 && { sort }),
    ...(review && { review }),
  };
}

/** A column, or a member of one as the JSON list of its names. */
function placeIn(text: string): { readonly column: string; readonly path?: readonly string[] } {
  if (!/^\[".*"\]$/s.test(text)) return { column: text };
  try {
    const [column = '', ...path]: readonly string[] = JSON.parse(text);
    return { column, path };
  } catch {
    return { column: text };
  }
}

/** Changes of a filter; undefined removes a part. */
export type FilterChange = { readonly [Part in keyof Filter]?: Filter[Part] | undefined };

/** The parameters of a filter, as `withParams` takes them. */
export function filterParams(filter: FilterChange): Readonly<Record<string, string | readonly string[] | undefined>> {
  return {
    q: filter.search,
    sql: filter.sql,
    model: filter.model,
    tool: filter.tool,
    failedtool: filter.failedTool,
    c: filter.where?.map((condition) => JSON.stringify(condition)),
    sort: filter.sort?.map(
      ({ column, path, descending }) =>
        `${path ? JSON.stringify([column, ...path]) : column}:${descending ? 'desc' : 'asc'}`,
    ),
    review: filter.review,
  };
}

/** The parameters of the current view that name its dataset and its filter: for links to another page. */
export function keptParams(params: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams();
  for (const name of ['d', ...FILTER_PARAMS]) for (const value of params.getAll(name)) kept.append(name, value);
  return kept;
}

/** Whether a filter leaves out rows, or may. */
export function isFiltered(params: URLSearchParams): boolean {
  return FILTER_PARAMS.some((name) => name !== 'sort' && params.has(name));
}

/** The parameters that name the dataset alone. */
export function datasetParams(params: URLSearchParams): URLSearchParams {
  const dataset = params.get('d');
  return new URLSearchParams(dataset === null ? {} : { d: dataset });
}

const OPERATORS: Readonly<Record<Condition['op'], string>> = {
  equals: '=',
  not: '≠',
  less: '<',
  'at-most': '≤',
  more: '>',
  'at-least': '≥',
  'one-of': 'one of',
  between: 'from',
  dates: 'from',
  length: 'length from',
  contains: 'contains',
  matches: 'matches',
  null: 'is null',
  'not-null': 'is not null',
};

function parseCondition(text: string): Condition[] {
  try {
    const found: unknown = JSON.parse(text);
    return isCondition(found) ? [found] : [];
  } catch {
    return [];
  }
}

function isCondition(found: unknown): found is Condition {
  if (typeof found !== 'object' || found === null || !('column' in found) || !('op' in found)) return false;
  return typeof found.column === 'string' && typeof found.op === 'string' && Object.hasOwn(OPERATORS, found.op);
}

/** The name of a column, or of a member of one; a score is named as its column is. */
export function nameOf({ column, path = [] }: Pick<Condition, 'column' | 'path'>): string {
  const names = path.length > 1 && path.at(-1) === 'score' ? path.slice(0, -1) : path;
  return [column, ...names].join('.');
}

/** A condition in words, such as `score ≥ 3`. */
export function describeCondition(condition: Condition): string {
  const name = nameOf(condition);
  const operator = OPERATORS[condition.op];
  switch (condition.op) {
    case 'null':
    case 'not-null':
      return `${name} ${operator}`;
    case 'contains':
    case 'matches':
      return `${name} ${operator} “${condition.text}”`;
    case 'one-of':
      return `${name} ${operator} ${condition.values.map(shown).join(', ')}`;
    case 'between':
    case 'length':
      return `${name} ${operator} ${bound(condition.low)} to ${condition.isLast ? '' : 'below '}${bound(condition.high)}`;
    case 'dates':
      return `${name} ${operator} ${condition.low} ${condition.high === null ? 'on' : `to before ${condition.high}`}`;
    default:
      return `${name} ${operator} ${shown(condition.value)}`;
  }
}

function shown(value: string | number | boolean): string {
  return typeof value === 'string' ? `“${value}”` : String(value);
}

function bound(value: string | number): string {
  return typeof value === 'number' ? formatFigure(value) : value;
}
