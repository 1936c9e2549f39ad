import { type ArrowField, type ColumnConfig, type FieldPath, stringifyJson } from '@data-designer/core';
import { addToColumn, type Check, has, suggest } from './check.ts';
import { type ColumnFacts, MISSING, type NamedReference, type ReadTemplate } from './column-facts.ts';

/** What a column names must be there, must not be itself, and must be made before it can be. */
export function checkReferences(check: Check): void {
  const local = localNames(check);
  for (const facts of check.facts) {
    for (const reference of facts.references) checkReference(check, facts, { reference, local });
    for (const template of facts.templates) checkPromptNames(check, facts, template);
    checkSkip(check, facts);
  }
}

/** Names of what is there before any row is opened. */
function localNames({ facts }: Check): ReadonlySet<string> {
  return new Set(facts.filter(({ type }) => 'fill' in type).flatMap(({ writes }) => writes.map(({ name }) => name)));
}

function checkReference(
  check: Check,
  { column, type, writes }: ColumnFacts,
  { reference, local }: { reference: NamedReference; local: ReadonlySet<string> },
): void {
  const { name, field, optional } = reference;
  if (!has(check, name)) {
    if (!optional && reference.missing !== 'invalid_reference') addMissing(check, column.name, reference);
    return;
  }
  if (writes.some((one) => one.name === name)) {
    if (optional) return;
    addToColumn(check, column.name, {
      field,
      stage: 'run',
      type: 'self_reference',
      level: 'ERROR',
      message: `it names what it makes itself: '${name}'.`,
      remedy: 'Name another column.',
    });
  } else if ('fill' in type && !local.has(name) && !check.unreadNames.has(name)) {
    if (isTold(check, column.name, field)) return;
    addToColumn(check, column.name, {
      field,
      stage: 'run',
      type: 'late_reference',
      level: 'ERROR',
      message: `'${name}' is not there yet when this column is sampled.`,
      remedy: 'Name a sampler column.',
    });
  }
}

/** Whether the column's kind has said already, in words of its own, what is wrong with a field. */
function isTold(check: Check, column: string, field: FieldPath): boolean {
  return check.told.has(check.parsed.columnPath(column, ...field));
}

/** The names in a prompt that lead nowhere are one finding together (as in NeMo Data Designer). */
function checkPromptNames(check: Check, { column }: ColumnFacts, { declared, parsed }: ReadTemplate): void {
  if (MISSING[declared.role] !== 'invalid_reference') return;
  const missing = parsed?.references.filter((name) => !has(check, name)) ?? [];
  const [first] = missing;
  if (first === undefined) return;
  const names = missing.map((name) => `'${name}'`).join(', ');
  addToColumn(check, column.name, {
    field: declared.field,
    stage: 'validate',
    type: 'invalid_reference',
    level: 'ERROR',
    message: missing.length === 1 ? `there is no column ${names}.` : `there are no columns ${names}.`,
    remedy: suggest(check, first, { not: column.name }),
  });
}

function addMissing(check: Check, column: string, { name, field, missing }: NamedReference): void {
  if (missing === 'unknown_column' && isTold(check, column, field)) return;
  addToColumn(check, column, {
    field,
    stage: missing === 'unknown_column' ? 'run' : 'validate',
    type: missing,
    level: 'ERROR',
    message: `there is no column '${name}'.`,
    remedy: suggest(check, name, { not: column }),
  });
}

function checkSkip(check: Check, { column, writes, skipReferences }: ColumnFacts): void {
  // What only the template language knows, such as `range`, is no reference unless a column is called so.
  if (column.skip && !skipReferences.some(({ name, optional }) => !optional || has(check, name))) {
    const message = 'it names no column, so that it is the same for every row.';
    const told = { stage: 'load', type: 'skip_without_references', level: 'ERROR', message } as const;
    addToColumn(check, column.name, { field: ['skip', 'when'], ...told, remedy: 'Name one, as {{ score < 3 }}.' });
  }
  for (const reference of skipReferences) {
    const { name, field, optional } = reference;
    if (writes.some((one) => one.name === name)) {
      const message = `it asks for '${name}', which the column makes itself.`;
      const told = { stage: 'load', type: 'skip_on_itself', level: 'ERROR', message } as const;
      addToColumn(check, column.name, { field, ...told, remedy: 'Name another column.' });
    } else if (!has(check, name) && !optional) addMissing(check, column.name, reference);
  }
  checkSkipValue(check, column, writes);
}

/** What stands in a skipped cell must be of its column's type: a number stands in a text column as text. */
function checkSkipValue(check: Check, { name, skip }: ColumnConfig, writes: readonly ArrowField[]): void {
  const own = writes.find((one) => one.name === name);
  if ((skip?.value ?? null) === null || !own || typeof own.type === 'string') return;
  const kind = 'list' in own.type ? 'lists' : 'objects';
  addToColumn(check, name, {
    field: ['skip', 'value'],
    stage: 'run',
    type: 'skip_value_misfit',
    level: 'ERROR',
    message: `the cells of this column are ${kind}, so that ${stringifyJson(skip?.value ?? null)} cannot stand among them.`,
    remedy: 'Leave it out: a skipped cell is null then.',
  });
}
