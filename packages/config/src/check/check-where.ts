import { type CellValue, printNames, type Row, stringifyJson } from '@data-designer/core';
import { compileTemplate } from '@data-designer/template';
import type { SelectConfig } from '../schemas/select-config.ts';
import { whereTemplate } from '../where-column.ts';
import { checkExpression } from './check-expression.ts';
import { memberFindings } from './check-members.ts';
import { addAt, type Check, has, runError } from './check.ts';

/** Checks that the condition of a selection reads columns, and that some of their values fulfil it. */
export function checkWhere(check: Check, { where }: SelectConfig): void {
  if (where === null) return;
  const path = ['select', 'where'];
  const [, bare] = /^\s*\{\{(.*)\}\}\s*$/s.exec(where) ?? [];
  if (bare !== undefined) {
    const message = 'a condition of a selection is an expression, not a template.';
    const remedy = `Leave out the braces: where: "${bare.trim()}"`;
    return addAt(check, path, runError('where_with_braces', message, remedy));
  }
  const parsed = checkExpression(check, {
    expression: where,
    path,
    template: whereTemplate(where),
    needsMembers: true,
  });
  if (!parsed) return;
  const globals = parsed.globals.filter((name) => has(check, name));
  const { type, json = false } = check.typed.get(where.trim()) ?? {};
  if (type === 'utf8' && !json) {
    const message = `'${where.trim()}' is text, so every row is accepted with another text than '', 0 or false, as with 'no'.`;
    const remedy = `Compare it, as in ${where.trim()} == 'yes', or write ${where.trim()} != '' if that is meant.`;
    return addAt(check, path, { ...runError('where_text', message, remedy), level: 'WARNING' });
  }
  if (globals.length > 0) return;
  if (parsed.references.length > 0) {
    // A missing member is told already, and is why no value would fulfil the condition.
    if (memberFindings(check, parsed.tree).length === 0) checkListed(check, where, parsed.references);
    return;
  }
  const message = 'the condition refers to no column, so it is the same for every row.';
  addAt(check, path, runError('where_without_references', message, 'Refer to a column, as in score >= 4.'));
}

/** Conditions over more combinations of values are not tried. */
const MOST_COMBINATIONS = 2000;

/** How many values of a column an error names. */
const MOST_SHOWN = 8;

/** Tries a condition with all values of what it reads, where their configs list them. */
function checkListed(check: Check, where: string, references: readonly string[]): void {
  const { columns, processors } = check.config;
  // A processor may change values before the condition reads them.
  if (processors.length > 0) return;
  // A skipped or failed cell has another value than the listed ones, and so have cells that follow from it.
  if (/\brandom\b/.test(where) || columns.some(({ skip, onFailure }) => skip !== null || onFailure === 'null')) return;
  const lists = columns
    .filter(({ name }) => references.includes(name))
    .flatMap((column) => {
      const listed = check.registry.get(column.columnType)?.listed?.(column) ?? [];
      return listed.map(({ path, values }) => ({ path: [column.name, ...path], values }));
    });
  const rest = lists.reduce((text, { path }) => text.replaceAll(accessOf(path), ' '), where);
  if (references.some((name) => new RegExp(`(?<!\\w)${escapeRegExp(name)}(?!\\w)`).test(rest))) return;
  const count = lists.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_COMBINATIONS) return;
  const render = compileTemplate(whereTemplate(where), { mode: check.templates, isPortable: false });
  for (let combination = 0; combination < count; combination++) {
    let left = combination;
    const parts = lists.map(({ path, values }) => {
      const value = values[left % values.length] ?? null;
      left = Math.floor(left / values.length);
      return { path, value };
    });
    if (isAccepted(render, rowWith(parts))) return;
  }
  const shown = lists.map(({ path, values }) => {
    const listed = values.map((value) => stringifyJson(value));
    return `${path.join('.')} is one of ${printNames(listed, MOST_SHOWN)}`;
  });
  const message = `no row can be accepted, because no values fulfil the condition: ${shown.join('; ')}.`;
  const number = lists
    .flatMap(({ values }) => values.map((value) => stringifyJson(value)))
    .find((value) => /^"\d+"$/.test(value));
  const remedy =
    number === undefined
      ? 'Compare with one of them.'
      : `Compare with one of them. A text that is a number is compared as the number, as in == ${number.slice(1, -1)} without quotes.`;
  addAt(check, ['select', 'where'], runError('where_never', message, remedy));
}

/** What reads a member in a condition: `a.b`, `a['b']` or `a["b"]`. */
function accessOf([column = '', ...members]: readonly string[]): RegExp {
  const steps = members.map((name) => {
    const member = escapeRegExp(name);
    return `\\s*(?:\\.\\s*${member}(?!\\w)|\\[\\s*(?:'${member}'|"${member}")\\s*\\])`;
  });
  return new RegExp(`(?<![\\w.])${escapeRegExp(column)}(?!\\w)${steps.join('')}`, 'g');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** A row that has these values alone. */
function rowWith(parts: readonly { readonly path: readonly string[]; readonly value: CellValue }[]): Row {
  const row = {};
  for (const { path, value } of parts) {
    let within: Record<string, CellValue> = row;
    for (const name of path.slice(0, -1)) within = (within[name] ??= {}) as Record<string, CellValue>;
    within[path.at(-1) ?? ''] = value;
  }
  return row;
}

function isAccepted(render: (row: Row) => string, row: Row): boolean {
  try {
    return render(row) === 'True';
  } catch {
    // A row for which the condition fails is refused too.
    return false;
  }
}
