import type { ArrowField, FieldPath } from '@data-designer/core';
import { attemptFields, decisionName, decisionOf, decisionTemplate, keepOf } from '../attempt-columns.ts';
import type { AttemptsConfig } from '../schemas/attempts-config.ts';
import { addAt, type Check, has, runError, suggest } from './check.ts';
import { checkExpression } from './check-expression.ts';
import { type ColumnFacts, isGrouped } from './column-facts.ts';
import { dependenciesOf } from './dependencies.ts';

/** A block, where it is declared, and the names that its condition or score reads; undefined without a readable one. */
interface DecidedBlock {
  readonly block: AttemptsConfig;
  readonly path: FieldPath;
  readonly decides: readonly string[] | undefined;
}

/** Checks that the blocks of attempts can be made: what stands in them, what decides, and what reads them. */
export function checkAttempts(check: Check): void {
  const { attempts = [] } = check.config;
  if (attempts.length === 0) return;
  const owner = new Map<string, string>();
  const columns = check.facts.flatMap(({ column, writes }) => [column.name, ...writes.map(({ name }) => name)]);
  const written = new Set([...columns, ...(check.seedColumns ?? [])]);
  const blocks = attempts.map((block, index): DecidedBlock => {
    const path: FieldPath = ['attempts', index];
    checkName(check, block, { path, written });
    block.columns.forEach((name, at) => checkMember(check, name, { path: [...path, 'columns', at], block, owner }));
    checkTemperature(check, block, path);
    return { block, path, decides: checkDecision(check, block, path) };
  });
  checkBetween(check, blocks);
}

function checkName(
  check: Check,
  block: AttemptsConfig,
  { path, written }: { readonly path: FieldPath; readonly written: Set<string> },
): void {
  const own = attemptFields(block, check.facts).map(({ name }) => name);
  const names = [block.name, decisionName(block), ...own];
  const taken = names.find((name) => written.has(name));
  for (const name of names) written.add(name);
  if (taken === undefined) return;
  const uses = own.includes(taken) ? `writes '${taken}', which` : `uses the name '${taken}', which`;
  const message = `the block ${uses} a column or another block has too.`;
  addAt(check, [...path, 'name'], runError('duplicate_name', message, 'Rename the block.'));
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
    if (has(check, name) && !check.columnNames.has(name) && !check.unreadNames.has(name)) {
      const message = `'${name}' is no column that is made in an attempt: seeds and side effects stay as they are.`;
      return add('attempts_input', message, 'Name the columns that models, checks and functions write.');
    }
    if (has(check, name)) return undefined;
    const among = check.facts.flatMap((one) => (isInput(one) || isGrouped(one) ? [] : one.column.name));
    return add('unknown_column', `there is no column '${name}'.`, suggest(check, name, { among }));
  }
  if (isInput(facts)) {
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

/** Whether the values of a column are the same in every attempt. */
function isInput({ type }: ColumnFacts): boolean {
  return 'fill' in type || type.ofSeed === true;
}

const KEPT_WITHOUT_UNTIL = "With 'keep: first' an attempt needs a condition, as in until: verdict.passed.";

/** Checks what decides an attempt; returns the names that it reads, if all are there. */
function checkDecision(check: Check, block: AttemptsConfig, path: FieldPath): readonly string[] | undefined {
  const { until, keep, max } = block;
  if (keepOf(block) === 'pair' && max === 1) {
    const message = 'a pair needs two attempts.';
    addAt(check, [...path, 'max'], runError('single_attempt', message, 'Use a value of at least 2.'));
  }
  if (keep === 'first' && until === null) {
    addAt(check, path, runError('missing_until', "the key 'until' is missing.", KEPT_WITHOUT_UNTIL));
  } else if (keep !== 'first' && until !== null) {
    const message = "'until' has no effect: all attempts are made, and 'keep' decides.";
    addAt(check, [...path, 'until'], runError('unused_key', message, "Remove 'until', or use keep: first."));
  }
  const expression = decisionOf(block);
  if (expression === undefined) return undefined;
  const at = placeOfDecision(block, path);
  const parsed = checkExpression(check, { expression, path: at, template: decisionTemplate(block, expression) });
  if (!parsed?.references.every((name) => has(check, name))) return undefined;
  checkDecisionType(check, block, { expression, at });
  return [...parsed.references, ...parsed.globals];
}

function placeOfDecision(block: AttemptsConfig, path: FieldPath): FieldPath {
  return [...path, ...(block.keep === 'first' ? ['until'] : ['keep', keepOf(block)])];
}

/** A column or member, as in `verdict.passed`. */
const MEMBER = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** A condition must be true or false, and a score a number. Text may be a number, or JSON with any value. */
function checkDecisionType(
  check: Check,
  { keep }: AttemptsConfig,
  { expression, at }: { readonly expression: string; readonly at: FieldPath },
): void {
  if (!MEMBER.test(expression)) return;
  const [column = '', ...members] = expression.split('.');
  const found = members.reduce<ArrowField | undefined>((one, name) => memberOf(one, name), check.typed.get(column));
  if (!found || found.json || found.type === 'null') return;
  const kind = kindOf(found);
  if (keep === 'first' && kind !== 'true or false') {
    const remedy = `Compare it, as in ${expression} ${kind === 'a number' ? '> 0' : "== 'yes'"}.`;
    const message = `'${expression}' is ${kind}, so it is neither true nor false.`;
    addAt(check, at, runError('until_not_bool', message, remedy));
  } else if (keep !== 'first' && kind !== 'a number' && kind !== 'text') {
    const message = `'${expression}' is ${kind}, so it is no score.`;
    addAt(check, at, runError('score_not_number', message, 'Use a number, as in score | length.'));
  }
}

function memberOf(found: ArrowField | undefined, name: string): ArrowField | undefined {
  const type = found && !found.json ? found.type : undefined;
  return typeof type === 'object' && 'struct' in type ? type.struct.find((one) => one.name === name) : undefined;
}

function kindOf({ type }: ArrowField): string {
  if (typeof type === 'object') return 'list' in type ? 'a list' : 'a mapping';
  if (type === 'bool') return 'true or false';
  return type === 'utf8' ? 'text' : 'a number';
}

function insideOf({ facts }: Check, { columns }: AttemptsConfig): readonly ColumnFacts[] {
  return facts.filter(({ column }) => columns.includes(column.name));
}

/** A column that waits for a block must not be one that the block waits for; a block is made as a whole. */
function checkBetween(check: Check, blocks: readonly DecidedBlock[]): void {
  const needs = new Map(dependenciesOf(check.facts, check.config.constraints).map((one) => [one.name, one.needs]));
  const makers = new Map(check.facts.flatMap(({ column, writes }) => writes.map(({ name }) => [name, column.name])));
  const ownerOf = new Map(blocks.flatMap((one) => one.block.columns.map((name) => [name, one] as const)));
  const outputs = new Map(
    blocks.flatMap((one) => attemptFields(one.block, check.facts).map(({ name }) => [name, one] as const)),
  );
  const readBlocks = new Map(
    check.facts.map(({ column, references, skipReferences }) => {
      const names = [...references, ...skipReferences].flatMap(({ name }) => outputs.get(name) ?? []);
      return [column.name, names] as const;
    }),
  );
  /** The columns that a column waits for, or those that a block waits for. */
  const before = (name: string): readonly string[] => [
    ...(needs.get(name) ?? []),
    ...(readBlocks.get(name) ?? []).flatMap(({ block }) => block.columns),
  ];
  const beforeBlock = ({ block, decides = [] }: DecidedBlock): readonly string[] => [
    ...block.columns.flatMap(before),
    ...decides.flatMap((name) => makers.get(name) ?? []),
  ];
  for (const one of blocks) {
    const inside = new Set(one.block.columns);
    const reaches = new Map<string, boolean>();
    const reachesBlock = (name: string): boolean => {
      const known = reaches.get(name);
      if (known !== undefined) return known;
      // A circle is reported elsewhere.
      reaches.set(name, false);
      const other = ownerOf.get(name);
      const found = (other ? beforeBlock(other) : before(name)).some((each) => inside.has(each) || reachesBlock(each));
      reaches.set(name, found);
      return found;
    };
    const found = [...new Set(beforeBlock(one))].filter((name) => !inside.has(name) && reachesBlock(name));
    for (const name of found) addBetween(check, one, { name, other: ownerOf.get(name)?.block.name });
    if (!found.some((name) => one.decides?.includes(name))) checkDecides(check, one);
  }
}

function addBetween(
  check: Check,
  { block, path, decides = [] }: DecidedBlock,
  { name, other }: { readonly name: string; readonly other: string | undefined },
): void {
  const at = [...path, 'columns'];
  if (other !== undefined) {
    const message = `the block '${other}', which makes '${name}', and this block wait for each other.`;
    const remedy = 'Put their columns into one block, or remove a reference.';
    return addAt(check, at, runError('circular_attempts', message, remedy));
  }
  const reader = decides.includes(name) ? `the ${block.keep === 'first' ? 'condition' : 'score'}` : 'another one';
  const message = `'${name}' stands between columns of the block: it reads one of them, and ${reader} reads it.`;
  addAt(check, at, runError('column_between', message, `Add '${name}' to the block.`));
}

/** What decides an attempt must read what attempts differ in, and nothing that is known after them. */
function checkDecides(check: Check, { block, path, decides }: DecidedBlock): void {
  if (!decides) return;
  const at = placeOfDecision(block, path);
  const remedy = `Refer to ${block.columns.join(' or ')}.`;
  const own = attemptFields(block, check.facts).find(({ name }) => decides.includes(name));
  if (own) {
    const message = `the expression reads '${own.name}', which is known once all attempts are made.`;
    return addAt(check, at, runError('reads_own_attempts', message, remedy));
  }
  const inside = new Set(insideOf(check, block).flatMap(({ writes }) => writes.map(({ name }) => name)));
  if (decides.some((name) => inside.has(name) || check.unreadNames.has(name))) return;
  // A name that is not there is reported already.
  if (block.columns.some((name) => !check.columnNames.has(name))) return;
  const message = 'the expression refers to no column of the block, so it is the same for every attempt.';
  addAt(check, at, runError('until_without_references', message, remedy));
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
