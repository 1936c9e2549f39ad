import { type Builtin, byName } from '../value/callable.ts';
import type { Value } from '../value/value.ts';
import { mapAndSelectFilters } from './map-select-filters.ts';
import { FILTER_NAMES } from '../syntax/builtin-names.ts';
import { JSONPATH } from './jsonpath.ts';
import { HTML_FILTERS } from './html-filters.ts';
import { LIST_FILTERS } from './list-filters.ts';
import { NATIVE_LIST_FILTERS } from './native-list-filters.ts';
import { NATIVE_TEXT_FILTERS } from './native-text-filters.ts';
import { NUMBER_FILTERS } from './number-filters.ts';
import { PRETTY_PRINT } from './pretty-print.ts';
import { TEXT_FILTERS } from './text-filters.ts';
import { TESTS } from './jinja-tests.ts';
import { WORD_WRAP } from './word-wrap.ts';

const registry = { filter: (name: string) => FILTERS.get(name), test: (name: string) => TESTS.get(name) };

const ALL: readonly Builtin<Value>[] = [
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...LIST_FILTERS,
  JSONPATH,
  ...NATIVE_TEXT_FILTERS,
  ...NATIVE_LIST_FILTERS,
  ...HTML_FILTERS,
  PRETTY_PRINT,
  WORD_WRAP,
  ...mapAndSelectFilters(registry),
];

/** All filters by name. */
export const FILTERS: ReadonlyMap<string, Builtin<Value>> = byName(ALL);

/** The filters of secure templates. */
export const SECURE_FILTERS: ReadonlySet<string> = new Set(
  (
    'abs capitalize escape first float forceescape int items jsonpath last length list lower max min random replace ' +
    'reverse round sort string title trim truncate unique upper urlencode'
  ).split(' '),
);

/** The filters of a mode. */
export function filtersOf(mode: 'secure' | 'native'): ReadonlySet<string> {
  return mode === 'secure' ? SECURE_FILTERS : FILTER_NAMES;
}
