import type { ChoicesOf } from '@data-designer/core';
import type { SelectConfig } from '../schemas/select-config.ts';
import { stageOf } from './check-select-groups.ts';
import { addAt, type Check, runError } from './check.ts';
import type { ColumnFacts } from './column-facts.ts';

/** Checks that a selection can accept as many rows as the run asks for, as far as that shows before all are paid. */
export function checkAmounts(check: Check, select: SelectConfig): void {
  const choicesOf = openChoices(check);
  checkBalance(check, select, choicesOf);
  const { rows } = check;
  // Such a run keeps the rows that there are.
  if (rows === undefined || select.onExhausted === 'keep') return;
  checkCandidates(check, select, rows);
  checkUnique(check, select, { rows, choicesOf });
}

/** A share that so few values cannot keep ends the run at its last candidate. */
function checkBalance(check: Check, { balance }: SelectConfig, choicesOf: ChoicesOf): void {
  if (!balance) return;
  const { column: name, maxShare } = balance;
  const count = choicesOf(name);
  if (count === undefined || count * maxShare > 1 - 1e-9) return;
  const message = `the column '${name}' has at most ${valuesOf(count)}, so a share of ${maxShare} for each cannot make up all rows.`;
  const remedy =
    count > 1
      ? `Use a share of at least ${Math.ceil(1000 / count) / 1000}, or more values.`
      : 'Use more values, or remove the rule.';
  addAt(check, ['select', 'balance', 'maxShare'], runError('unmet_balance', message, remedy));
}

function checkCandidates(check: Check, { maxCandidates }: SelectConfig, rows: number): void {
  if (maxCandidates === null || maxCandidates >= rows) return;
  const message = `the selection generates at most ${maxCandidates} rows, so it cannot accept the ${rows} of the run.`;
  const remedy = `Use at least ${rows}, ask for ${maxCandidates} rows, or set on_exhausted to keep.`;
  addAt(check, ['select', 'maxCandidates'], runError('few_candidates', message, remedy));
}

function checkUnique(
  check: Check,
  { unique }: SelectConfig,
  { rows, choicesOf }: { readonly rows: number; readonly choicesOf: ChoicesOf },
): void {
  (unique ?? []).forEach((rule, index) => {
    // Equal text is similar text. Models may give equal text other embeddings.
    if ('embedding' in rule) return;
    const names = 'exact' in rule ? rule.exact : rule.minhash;
    const counts = names.map((name) => choicesOf(name) ?? Infinity);
    const count = counts.reduce((product, one) => product * one, 1);
    if (count >= rows) return;
    const columns = names.map((name) => `'${name}'`).join(', ');
    const [what, have] =
      names.length === 1 ? [`the column ${columns}`, 'has'] : [`the columns ${columns} together`, 'have'];
    const message = `${what} ${have} at most ${valuesOf(count)}, so no more than ${count} of the ${rows} rows can be unique.`;
    const remedy = `Add values or columns, ask for ${count} rows, or set on_exhausted to keep.`;
    addAt(check, ['select', 'unique', index], runError('few_values', message, remedy));
  });
}

function valuesOf(count: number): string {
  return count === 1 ? 'one value' : `${count} different values`;
}

/** Finds the largest number of different values of a column, once for each; undefined if it is not known, or null is one of them. */
function openChoices(check: Check): ChoicesOf {
  // A function may replace the values of any column.
  const stages = check.config.processors.map((processor) => stageOf(check, processor));
  if (stages.includes('pre_batch') || stages.includes('post_batch')) return () => undefined;
  const known = new Map<string, number | undefined>();
  const choicesOf = (name: string): number | undefined => {
    if (known.has(name)) return known.get(name);
    // Columns that read each other in a circle have no number.
    known.set(name, undefined);
    const owner = check.facts.find(({ column }) => column.name === name);
    const hasErrors = check.found.some(({ column, level }) => column === name && level === 'ERROR');
    // Rows with null are no duplicates, so there may be any number of them.
    const count =
      !owner || hasErrors || mayBeNull(check, owner) ? undefined : owner.type.choices?.(owner.column, choicesOf);
    known.set(name, count);
    return count;
  };
  return choicesOf;
}

/** Whether a cell may be skipped, also because one that it reads is, or may fail and stay in its row. */
function mayBeNull(check: Check, facts: ColumnFacts, seen = new Set<ColumnFacts>()): boolean {
  if (seen.has(facts)) return false;
  seen.add(facts);
  const { skip, onFailure, propagateSkip } = facts.column;
  if (skip || onFailure === 'null') return true;
  if (!propagateSkip) return false;
  const read = new Set(facts.references.map(({ name }) => name));
  return check.facts.some(
    (other) =>
      (read.has(other.column.name) || other.writes.some(({ name }) => read.has(name))) && mayBeNull(check, other, seen),
  );
}
