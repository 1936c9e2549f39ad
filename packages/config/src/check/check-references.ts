import { type ArrowField, type ColumnConfig, type FieldPath, stringifyJson } from '@data-designer/core';
import { positionOfName } from '@data-designer/template';
import { addToColumn, type Check, has, placed, runError, suggest } from './check.ts';
import { type ColumnFacts, MISSING, type NamedReference, type ReadTemplate } from './column-facts.ts';

/** Checks that the columns that a column names exist, are not the column itself, and can be made before it. */
export function checkReferences(check: Check): void {
  const sampled = sampledNames(check);
  for (const facts of check.facts) {
    for (const reference of facts.references) checkReference(check, facts, { reference, sampled });
    for (const template of facts.templates) checkPromptNames(check, facts, template);
    checkSkip(check, facts);
  }
}

/** The names of columns that are filled before any row opens. */
function sampledNames({ facts }: Check): ReadonlySet<string> {
  return new Set(facts.filter(({ type }) => 'fill' in type).flatMap(({ writes }) => writes.map(({ name }) => name)));
}

function checkReference(
  check: Check,
  { column, type, writes }: ColumnFacts,
  { reference, sampled }: { readonly reference: NamedReference; readonly sampled: ReadonlySet<string> },
): void {
  const { name, field, optional } = reference;
  if (!has(check, name)) {
    if (!optional && reference.missing !== 'invalid_reference') addMissing(check, { column, writes }, reference);
  } else if (writes.some((one) => one.name === name)) {
    if (optional) return;
    const message = `the column refers to '${name}', which it writes itself.`;
    addToColumn(check, column.name, { field, ...runError('self_reference', message, 'Refer to another column.') });
  } else if ('fill' in type && !sampled.has(name) && !check.unreadNames.has(name) && !isTold(check, column, field)) {
    const message = `the column '${name}' has no value yet when this column is sampled.`;
    addToColumn(check, column.name, { field, ...runError('late_reference', message, 'Refer to a sampler column.') });
  }
}

/** Whether the check of the column type has already reported a field. */
function isTold(check: Check, { name }: Pick<ColumnConfig, 'name'>, field: FieldPath): boolean {
  return check.told.has(check.parsed.columnPath(name, ...field));
}

/** The unknown names in a prompt are one finding together (as in NeMo Data Designer). */
function checkPromptNames(check: Check, { column, writes }: Writer, { declared, parsed }: ReadTemplate): void {
  if (MISSING[declared.role] !== 'invalid_reference') return;
  const missing = parsed?.references.filter((name) => !has(check, name)) ?? [];
  const [first] = missing;
  if (first === undefined) return;
  const names = missing.map((name) => `'${name}'`).join(', ');
  const message = missing.length === 1 ? `there is no column ${names}.` : `there are no columns ${names}.`;
  const error = runError(
    'invalid_reference',
    message,
    suggest(check, first, { not: ownNames({ column, writes }), isRead: true }),
  );
  const within = parsed && positionOfName(parsed, first);
  addToColumn(check, column.name, { field: declared.field, ...error, ...placed(within), stage: 'validate' });
}

/** A column, and what it writes. */
type Writer = Pick<ColumnFacts, 'column' | 'writes'>;

/** The names that a column cannot read, since it writes them. */
function ownNames({ column, writes }: Writer): readonly string[] {
  return [column.name, ...writes.map(({ name }) => name)];
}

function addMissing(check: Check, writer: Writer, { name, field, missing, parsed }: NamedReference): void {
  const column = writer.column.name;
  const isUnknown = missing === 'unknown_column';
  if (isUnknown && isTold(check, { name: column }, field)) return;
  const error = runError(
    missing,
    `there is no column '${name}'.`,
    suggest(check, name, { not: ownNames(writer), isRead: parsed !== undefined }),
  );
  const within = parsed && positionOfName(parsed, name);
  addToColumn(check, column, { field, ...error, ...placed(within), stage: isUnknown ? 'run' : 'validate' });
}

/** One pair of braces with text before or after it, which makes the rendered text true. */
const TEXT_AROUND = /^(?:[^{}]*[^{}\s][^{}]*\{\{[^{}]*\}\}[^{}]*|[^{}]*\{\{[^{}]*\}\}[^{}]*[^{}\s][^{}]*)$/;

function checkSkip(check: Check, { column, writes, skipReferences }: ColumnFacts): void {
  // A global of the template language, such as `range`, is a reference only if a column has its name.
  if (column.skip && !skipReferences.some(({ name, optional }) => !optional || has(check, name))) {
    const message = 'the condition refers to no column, so it is the same for every row.';
    const error = runError('skip_without_references', message, 'Refer to a column, as in {{ score < 3 }}.');
    addToColumn(check, column.name, { field: ['skip', 'when'], ...error, stage: 'load' });
  }
  const { when = '' } = column.skip ?? {};
  if (skipReferences.length > 0 && TEXT_AROUND.test(when)) {
    const message = `'${when}' has text outside its braces, so that it is true for every row.`;
    const remedy = 'Write the whole condition between the braces, as in {{ score < 3 }}.';
    const warning = { ...runError('constant_condition', message, remedy), level: 'WARNING' as const };
    addToColumn(check, column.name, { field: ['skip', 'when'], ...warning });
  }
  for (const reference of skipReferences) {
    const { name, field, optional } = reference;
    if (writes.some((one) => one.name === name)) {
      addToColumn(check, column.name, { field, ...skipOnItself(name) });
    } else if (!has(check, name) && !optional) addMissing(check, { column, writes }, reference);
  }
  checkSkipValue(check, column, writes);
}

/** The error of a skip rule that reads its own column. */
export function skipOnItself(name: string): ReturnType<typeof runError> {
  const message = `the condition refers to '${name}', which the column writes itself.`;
  return { ...runError('skip_on_itself', message, 'Refer to another column.'), stage: 'load' };
}

/** Checks the type of the value of skipped cells: a number in a text column is written as text. */
function checkSkipValue(check: Check, { name, skip }: ColumnConfig, writes: readonly ArrowField[]): void {
  const own = writes.find((one) => one.name === name);
  if ((skip?.value ?? null) === null || !own || typeof own.type === 'string') return;
  const kind = 'list' in own.type ? 'lists' : 'objects';
  const value = stringifyJson(skip?.value ?? null);
  const message = `the cells of this column are ${kind}, so a cell cannot be ${value}.`;
  const error = runError('skip_value_misfit', message, 'Remove the value; skipped cells are then null.');
  addToColumn(check, name, { field: ['skip', 'value'], ...error });
}
