import type { Condition, Filter } from './api/filter.ts';
import type { DownloadChoice } from './downloaded-rows.ts';
import { KIND_WORDS } from './review-kinds.ts';

/** Longer descriptions of a filter are cut. */
const MAX_CHARACTERS = 80;

interface NamedDownload extends Pick<DownloadChoice, 'reviews'> {
  readonly filter: Filter;
}

/** The name of a file with the rows of a filter: `support-v1-accepted.jsonl`, and `support-v1-with_reviews.jsonl`. */
export function downloadName(dataset: string, { filter, reviews }: NamedDownload, format: string): string {
  const { where = [], search, sql, model, tool, failedTool, review } = filter;
  const parts = [
    review && KIND_WORDS[review],
    ...where.map(conditionText),
    search,
    sql,
    model,
    tool && `calls ${tool}`,
    failedTool && `failed ${failedTool}`,
  ];
  const named = parts.flatMap((part) => (part ? fileText(part) : []));
  const described = named
    .filter((text) => text !== '')
    .join('-')
    .slice(0, MAX_CHARACTERS);
  // A filter without a character for a name still makes another file than all rows do.
  const suffix = described === '' && named.length > 0 ? 'filtered' : described;
  const columns = reviews ? '-with_reviews' : '';
  return `${fileText(dataset)}${suffix === '' ? '' : `-${suffix}`}${columns}.${format}`;
}

function fileText(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '_').replaceAll(/(?<=.)_+$/g, '');
}

function conditionText(condition: Condition): string {
  const { column, path = [], op } = condition;
  const values = Object.entries(condition).flatMap(([name, value]) =>
    ['column', 'path', 'op', 'isLast'].includes(name) || value === null ? [] : [value].flat().map(String),
  );
  return [[column, ...path.filter((name) => name !== 'score')].join('.'), op, ...values].join(' ');
}
