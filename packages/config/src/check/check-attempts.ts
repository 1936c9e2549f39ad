import type { FieldPath } from '@data-designer/core';
import { attemptFields, decisionOf, keepOf } from '../attempt-columns.ts';
import type { AttemptsConfig } from '../schemas/attempts-config.ts';
import { addAt, type Check, has, runError, suggest } from './check.ts';
import { checkExpression } from './check-expression.ts';
import { type ColumnFacts, isGrouped } from './column-facts.ts';
import { dependenciesOf } from './dependencies.ts';

/** Checks that the blocks of attempts can be made: what stands in them, what decides, and what reads them. */
export function checkAttempts(check: Check): void {
  const blocks = check.config.attempts ?? [];
  const owner = new Map<string, string>();
  const written = new Set(check.facts.flatMap(({ writes }) => writes.map(({ name }) => name)));
  blocks.forEach((block, index) => {
    const path: FieldPath = ['attempts', index];
    checkName(check, block, { path, written });
    block.columns.forEach((name, at) => checkMember(check, name, { path: [...path, 'columns', at], block, owner }));
    checkDecision(check, block, path);
    checkBetween(check, block, path);
    checkTemperature(check, block, path);
  });
}

function checkName(
  check: Check,
  block: AttemptsConfig,
  { path, written }: { readonly path: FieldPath; readonly written: Set<string> },
): void {
  for (const { name } of attemptFields(block, check.facts)) {
    if (written.has(name)) {
      const message = `the block writes '${name}', which a column or another block writes too.`;
      addAt(check, [...path, 'name'], runError('duplicate_name', message, 'Rename the block.'));
    }
    written.add(name);
  }
}

function checkMember(
  check: Check,
  name: string,
  {
    path,
    block,
    owner,
  }: { readonly path: FieldPath; readonly block: AttemptsConfig; readonly owner: Map<string, string> },
): void {
  const add = (type: string, message: string, remedy: string) => addAt(check, path, runError(type, message, remedy));
  const facts = check.facts.find(({ column }) => column.name === name);
  const other = owner.get(name);
  owner.set(name, block.name);
  if (other === block.name) return add('repeated_column', `'${name}' is named twice.`, 'Name each column once.');
  if (other !== undefined) {
    const message = `'${name}' also stands in the block '${other}'.`;
    return add('overlapping_attempts', message, 'Let each column stand in one block.');
  }
  if (!facts) {
    if (has(check, name) && !check.columnNames.has(name)) {
      const message = `'${name}' is no column that is made in an attempt: seeds and side effects stay as they are.`;
      return add('attempts_input', message, 'Name the columns that models, checks and functions write.');
    }
    if (has(check, name)) return undefined;
    return add('unknown_column', `there is no column '${name}'.`, suggest(check, name, { among: check.columnNames }));
  }
  if ('fill' in facts.type || facts.type.ofSeed) {
    const message = `'${name}' is an input, which is the same in every attempt.`;
    return add('attempts_input', message, 'Leave it out of the block; columns of the block may read it.');
  }
  const own = new Set(attemptFields(block, check.facts).map((one) => one.name));
  const read = [...facts.references, ...facts.skipReferences].find((one) => own.has(one.name));
  if (read) {
    const message = `'${name}' reads '${read.name}', which is known once all attempts are made.`;
    return add('reads_own_attempts', message, `Leave '${name}' out of the block.`);
  }
  if (!isGrouped(facts)) return undefined;
  const message = `the cells of '${name}' are made for all rows of a row group together, so that no attempt can make them.`;
  return add('group_column', message, 'Leave it out of the block, or make its cells row by row.');
}

const KEPT_WITHOUT_UNTIL = "With 'keep: first' an attempt needs a condition, as in until: verdict.passed.";

function checkDecision(check: Check, block: AttemptsConfig, path: FieldPath): void {
  const { until, keep } = block;
  if (keep === 'first' && until === null) {
    addAt(check, path, runError('missing_until', "the key 'until' is missing.", KEPT_WITHOUT_UNTIL));
  } else if (keep !== 'first' && until !== null) {
    const message = "'until' has no effect: all attempts are made, and 'keep' decides.";
    addAt(check, [...path, 'until'], runError('unused_key', message, "Remove 'until', or use keep: first."));
  }
  const expression = decisionOf(block);
  if (expression === undefined) return;
  const at = [...path, ...(keep === 'first' ? ['until'] : ['keep', keepOf(block)])];
  const parsed = checkExpression(check, expression, at);
  if (!parsed) return;
  const inside = new Set(insideOf(check, block).flatMap(({ writes }) => writes.map(({ name }) => name)));
  const names = [...parsed.references, ...parsed.globals];
  if (names.some((name) => inside.has(name) || check.unreadNames.has(name))) return;
  const message = 'the expression refers to no column of the block, so it is the same for every attempt.';
  addAt(check, at, runError('until_without_references', message, `Refer to ${block.columns.join(' or ')}.`));
}

function insideOf({ facts }: Check, { columns }: AttemptsConfig): readonly ColumnFacts[] {
  return facts.filter(({ column }) => columns.includes(column.name));
}

/** A column that waits for the block must not be one that the block waits for. */
function checkBetween(check: Check, block: AttemptsConfig, path: FieldPath): void {
  const all = dependenciesOf(check.facts, check.config.constraints);
  const needs = new Map(all.map((one) => [one.name, one.needs]));
  const inside = new Set(block.columns);
  const outputs = new Set(attemptFields(block, check.facts).map(({ name }) => name));
  const readers = check.facts.filter(({ references, skipReferences }) =>
    [...references, ...skipReferences].some(({ name }) => outputs.has(name)),
  );
  const reaches = new Map(readers.map(({ column }) => [column.name, true]));
  const reachesBlock = (name: string): boolean => {
    const known = reaches.get(name);
    if (known !== undefined) return known;
    // A circle is reported elsewhere.
    reaches.set(name, false);
    const found = (needs.get(name) ?? []).some((one) => inside.has(one) || reachesBlock(one));
    reaches.set(name, found);
    return found;
  };
  const outside = block.columns.flatMap((name) => (needs.get(name) ?? []).filter((one) => !inside.has(one)));
  for (const name of new Set(outside.filter(reachesBlock))) {
    const message = `'${name}' stands between columns of the block: it reads one of them, and another one reads it.`;
    addAt(check, [...path, 'columns'], runError('column_between', message, `Add '${name}' to the block.`));
  }
}

/** Models that answer the same to the same prompt make every attempt alike. */
function checkTemperature(check: Check, block: AttemptsConfig, path: FieldPath): void {
  if (block.max === 1) return;
  const aliases = new Set(insideOf(check, block).flatMap(({ requires }) => requires.models));
  const asked = check.config.modelConfigs.filter(({ alias }) => aliases.has(alias));
  const isCold = ({ inferenceParameters }: (typeof asked)[number]) =>
    'temperature' in inferenceParameters && inferenceParameters.temperature === 0;
  if (asked.length === 0 || !asked.every(isCold)) return;
  const message = `all models of the block have the temperature 0: each attempt may get the same answers.`;
  const warning = runError('cold_attempts', message, 'Raise the temperature of a model in the block.');
  addAt(check, path, { ...warning, level: 'WARNING', stage: 'validate' });
}
