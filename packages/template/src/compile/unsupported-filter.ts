import { DataDesignerError } from '@data-designer/core';

const READ_MEMBERS = "jsonpath reads members of a list: {'all': chat} | jsonpath('$.all[*].role').";

/** What to write in place of some of Jinja2's filters that secure templates lack. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ...['map', 'select', 'selectattr', 'reject', 'rejectattr', 'groupby'].map((name) => [name, READ_MEMBERS] as const),
  ['count', "Write 'length'."],
  ['e', "Write 'escape'."],
  ['d', "Write value or 'text'."],
  ['default', "Write value or 'text'."],
]);

/** The error of a filter that a mode lacks. */
export function unsupportedFilter(name: string, known: ReadonlySet<string>): DataDesignerError {
  const instead = INSTEAD.get(name);
  const hint = instead === undefined ? {} : { instead };
  return new DataDesignerError('template/unsupported-filter', { filter: name, known: [...known], ...hint });
}
