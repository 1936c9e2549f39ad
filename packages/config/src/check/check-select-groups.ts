import type { FieldPath } from '@data-designer/core';
import { parseCondition } from '@data-designer/template';
import type { Processor } from '../processors/processor-types.ts';
import type { SelectConfig } from '../schemas/select-config.ts';
import { addAt, addToColumn, type Check, runError } from './check.ts';
import { isGrouped } from './column-facts.ts';
import { dependenciesOf } from './dependencies.ts';

/**
 * Checks what sees several rows together: a selection must not depend on it, because it sees candidates that the selection
 * refuses later.
 */
export function checkTogether(check: Check, select: SelectConfig): void {
  const grouped = new Set(check.facts.filter(isGrouped).map(({ column }) => column.name));
  for (const { name, path } of namesIn(check, select)) {
    const cause = causeOf(check, name, grouped);
    if (cause === undefined) continue;
    const message =
      cause === name
        ? `the selection reads '${name}', which is generated for all rows of a row group together, refused rows included.`
        : `the selection reads '${name}', which depends on '${cause}'; that column is generated for all rows of a row group together, refused rows included.`;
    addAt(check, path, runError('group_column', message, 'Select by columns that are generated row by row.'));
  }
  // What where refuses has no further cells; every other refusal comes after the row is complete.
  const isLater = select.keepRejected || [select.unique, select.notIn, select.balance].some((rule) => rule !== null);
  if (isLater) for (const name of grouped) warnOfColumn(check, name);
  check.config.processors.forEach((processor, index) => {
    const stage = stageOf(check, processor);
    if (stage === 'pre_batch' || (stage === 'post_batch' && isLater)) warnOfProcessor(check, processor, index);
  });
}

const STAGE_REMEDY = 'Let each result depend on its own row alone, or use the stage after_generation.';

function warnOfProcessor(check: Check, { name }: Processor, index: number): void {
  const message = `the function of the processor '${name}' also receives rows that the selection refuses.`;
  const warning = runError('sees_refused_rows', message, STAGE_REMEDY);
  addAt(check, ['processors', index], { ...warning, stage: 'validate', level: 'WARNING' });
}

function warnOfColumn(check: Check, name: string): void {
  const message = `'${name}' is generated for all rows of a row group together, and also sees rows that the selection refuses.`;
  const warning = runError('sees_refused_rows', message, 'Generate the column row by row.');
  addToColumn(check, name, { field: [], ...warning, stage: 'validate', level: 'WARNING' });
}

/** The stage at which a processor's function receives rows; undefined where it makes its rows one by one. */
export function stageOf({ registry }: Check, processor: Processor): string | undefined {
  const { process, stage } = registry.processorOf(processor);
  if (!process) return undefined;
  return typeof stage === 'function' ? stage(processor) : stage;
}

/** Whether a column is generated for a row group together. */
/** The columns that a selection reads, and where it names them. */
function namesIn(check: Check, select: SelectConfig): readonly { readonly name: string; readonly path: FieldPath }[] {
  const { where, unique, notIn, balance } = select;
  const rules = (unique ?? []).flatMap((rule, index) => {
    const path: FieldPath = ['select', 'unique', index];
    return ('embedding' in rule ? [rule.embedding] : 'exact' in rule ? rule.exact : rule.minhash).map((name) => ({
      name,
      path,
    }));
  });
  return [
    ...referencesOf(check, where).map((name) => ({ name, path: ['select', 'where'] })),
    ...rules,
    ...(notIn ? [{ name: notIn.column, path: ['select', 'notIn', 'column'] }] : []),
    ...(balance ? [{ name: balance.column, path: ['select', 'balance', 'column'] }] : []),
  ];
}

/** The names that a condition reads; none of one that cannot be parsed, which another check reports. */
function referencesOf({ names }: Check, where: string | null): readonly string[] {
  if (where === null) return [];
  try {
    const { references, globals } = parseCondition(where);
    return [...references, ...globals.filter((name) => names.has(name))];
  } catch {
    return [];
  }
}

/** The column generated for a row group together that a column is, or depends on. */
function causeOf({ facts, config }: Check, name: string, grouped: ReadonlySet<string>): string | undefined {
  if (grouped.size === 0) return undefined;
  const owners = new Map(facts.flatMap(({ column, writes }) => writes.map((one) => [one.name, column.name] as const)));
  const needs = new Map(dependenciesOf(facts, config.constraints).map((one) => [one.name, one.needs]));
  const seen = new Set<string>();
  const find = (column: string): string | undefined => {
    if (grouped.has(column)) return column;
    if (seen.has(column)) return undefined;
    seen.add(column);
    for (const need of needs.get(column) ?? []) {
      const cause = find(need);
      if (cause !== undefined) return cause;
    }
    return undefined;
  };
  return find(owners.get(name) ?? name);
}
