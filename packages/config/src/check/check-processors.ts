import { type CellValue, DataDesignerError, type FieldPath, Float, isList } from '@data-designer/core';
import {
  compileObjectTemplate,
  compileTypedTemplate,
  objectReferences,
  parseTemplate,
  pythonText,
  refuseMistakes,
} from '@data-designer/template';
import { isPattern, matchesPattern } from '../name-pattern.ts';
import type { Processor } from '../processors/processor-types.ts';
import { hasPrintedNames } from '../processors/shape-fields.ts';
import { memberFindings } from './check-members.ts';
import {
  addAt,
  addToColumn,
  type Check,
  has,
  ROW_ID,
  reservedName,
  runError,
  suggest,
  surroundingsOf,
  templateError,
} from './check.ts';
import { partOf, RESERVED_KEY, snakeCase } from '../spelling.ts';
import type { ColumnFacts } from './column-facts.ts';

/** Checks that processors name existing columns, and that a column remains to be written. */
export function checkProcessors(check: Check): void {
  const { processors } = check.config;
  processors.forEach((processor, index) => {
    const path: FieldPath = ['processors', index];
    const before = processors.slice(0, index);
    checkAdded(check, processor, { path, before });
    if (processor.name === RESERVED_KEY) addAt(check, [...path, 'name'], reservedName('processor'));
    if (processor.processorType === 'drop_columns') {
      checkDropList(check, processor.columnNames, { path: [...path, 'columnNames'], before });
    } else if (processor.processorType === 'schema_transform') checkShape(check, processor, { path, before });
    else checkType(check, processor, { path, before });
    checkListed(check, processor, path);
    if (processor.processorType === 'custom')
      checkDropList(check, processor.removedColumns ?? [], { path: [...path, 'removedColumns'], before });
  });
  checkRemovedFirst(check);
  checkSomethingLeft(check);
}

/** Checks that no column reads what a processor removes before rows begin. */
function checkRemovedFirst(check: Check): void {
  const { config, registry, facts } = check;
  const first = config.processors.filter((one) => registry.stageOf(one) === 'pre_batch');
  if (first.length === 0) return;
  for (const { column, type, references, skipReferences } of facts) {
    if ('fill' in type) continue;
    for (const { name, field } of [...references, ...skipReferences]) {
      const remover = first.find((one) => registry.processorOf(one).drops?.(one, name));
      if (!remover || !has(check, name)) continue;
      const message = `the column '${name}' is removed by the processor '${remover.name}' before the cells are made.`;
      const remedy = 'Keep the column, or do not read it.';
      addToColumn(check, column.name, { field, ...runError('removed_before', message, remedy) });
    }
  }
}

/** Runs the check of a processor's type, and checks the columns that its side table reads. */
function checkType(check: Check, processor: Processor, { path, before }: ProcessorPosition): void {
  const type = check.registry.processorOf(processor);
  const findings = type.check?.(processor, surroundingsOf(check)) ?? [];
  for (const { field, ...told } of findings) addAt(check, [...path, ...field], told);
  if (!type.sideTable || findings.some(({ level }) => level === 'ERROR')) return;
  checkFolderName(check, processor.name, [...path, 'name']);
  checkStillThere(check, type.sideTable.reads(processor), { path, before });
}

/** The columns that processors add, by name. */
function addedBy({ registry }: Check, processors: readonly Processor[]): ReadonlySet<string> {
  return new Set(processors.flatMap((one) => registry.processorOf(one).adds?.(one) ?? []).map(({ name }) => name));
}

/** Checks that the columns that a processor adds are new. */
function checkAdded(check: Check, processor: Processor, { path, before }: ProcessorPosition): void {
  const { names, seedColumns, addedFirst } = check;
  const isSeed = (name: string) => seedColumns?.has(name) === true && !addedFirst.has(name);
  const earlier = addedBy(check, before);
  for (const name of addedBy(check, [processor])) {
    if (!names.has(name) && !isSeed(name) && !earlier.has(name)) continue;
    const message = `the processor '${processor.name}' cannot add the column '${name}', which already exists.`;
    addAt(check, path, { ...runError('column_twice', message, 'Choose another name.'), column: name });
  }
}

/** The path of a processor, and the processors before it. */
interface ProcessorPosition {
  readonly path: FieldPath;
  readonly before: readonly Processor[];
}

/** Checks that a processor lists columns at a stage in which it can change them. */
function checkListed(check: Check, processor: Processor, path: FieldPath): void {
  if (check.registry.stageOf(processor) !== 'after_generation') return;
  for (const key of ['columnsAdded', 'columnsRemoved']) {
    if (partOf(processor, key) === undefined) continue;
    const message = `a processor of the stage 'after_generation' cannot have '${snakeCase(key)}'.`;
    addAt(check, [...path, key], runError('invalid_value', message, 'Remove the key, or use an earlier stage.'));
  }
}

type Transform = Extract<Processor, { processorType: 'schema_transform' }>;

function checkShape(check: Check, transform: Transform, { path, before }: ProcessorPosition): void {
  const { name, template: shape, keepTypes = false } = transform;
  const found = check.found.length;
  for (const [key, entry] of Object.entries(shape))
    checkEntry(check, entry, { path: [...path, 'template', key], before, keepsTypes: keepTypes });
  checkFolderName(check, name, [...path, 'name']);
  if (check.found.length > found) return;
  const at = { path: [...path, 'template'], stage: 'run' } as const;
  const compile = keepTypes ? compileTypedTemplate : compileObjectTemplate;
  refusal(check, at, () => compile(shape, { mode: check.templates }));
  if (check.found.length > found) return;
  if (hasPrintedNames(shape) || Object.keys(shape).length === 0) {
    const message = 'the template needs at least one column, and its column names must not contain templates.';
    const remedy = 'Use fixed column names; templates are allowed in values and in nested keys.';
    addAt(check, at.path, runError('shape_names', message, remedy));
  }
  checkStillThere(check, objectReferences(shape), { path: at.path, before });
}

/** Checks that no earlier processor drops a column that this one reads. */
function checkStillThere(check: Check, references: readonly string[], { path, before }: ProcessorPosition): void {
  for (const name of references) {
    const dropper = before.find((one) => check.registry.processorOf(one).drops?.(one, name));
    if (!dropper || !has(check, name)) continue;
    const message = `the column '${name}' has already been dropped by the processor '${dropper.name}'.`;
    addAt(
      check,
      path,
      runError('dropped_before', message, 'Move this processor before the one that drops the column.'),
    );
  }
}

/** Names that some file system refuses for a folder. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}]|^\s*$|^\.{1,2}$/u;

/** In bytes; file systems allow at least 255. */
const LONGEST_NAME = 200;

/** A side table is written to a folder of the processor's name. */
function checkFolderName(check: Check, name: string, path: FieldPath): void {
  if (!FORBIDDEN.test(name) && Buffer.byteLength(name) <= LONGEST_NAME) return;
  const message = `${JSON.stringify(name.slice(0, 80))} cannot be used as the name of the processor's output folder.`;
  const remedy = 'Use only letters, digits, spaces, dots, dashes and underscores.';
  addAt(check, path, runError('processor_name', message, remedy));
}

function checkDropList(check: Check, columns: readonly string[], { path, before }: ProcessorPosition): void {
  const added = addedBy(check, before);
  columns.forEach((name, position) => {
    if (!added.has(name)) checkDropped(check, name, [...path, position]);
  });
}

function checkDropped(check: Check, name: string, path: FieldPath): void {
  const { names, seedColumns, unreadNames } = check;
  if (seedColumns === undefined || [names, seedColumns, unreadNames].some((some) => some.has(name))) return;
  if (isPattern(name)) {
    if ([...names, ...seedColumns, ...unreadNames].some((one) => matchesPattern(one, name))) return;
    const warning = runError(
      'invalid_column',
      `no column matches the pattern '${name}'.`,
      'Correct or remove the pattern.',
    );
    addAt(check, path, { ...warning, stage: 'validate', level: 'WARNING' });
    return;
  }
  const error = runError('invalid_column', `there is no column '${name}'.`, suggest(check, name));
  addAt(check, path, { ...error, stage: 'validate', column: name });
}

/**
 * Checks an entry of a shape, which is one template over columns, its lists and mappings written as in Python. Side effects
 * do not count, and the unknown names are one finding together (as in NeMo Data Designer).
 */
function checkEntry(check: Check, entry: CellValue, { path, before, keepsTypes }: EntryPosition): void {
  const { columnNames, unreadNames, seedColumns = new Set<string>() } = check;
  const readable = [keepsTypes ? check.names : columnNames, unreadNames, seedColumns, addedBy(check, before)];
  const isThere = (name: string) => readable.some((some) => some.has(name));
  const texts = keepsTypes ? textsIn(entry) : [pythonText(entry)];
  const parsed = refusal(check, { path, stage: 'validate' }, () => texts.map((text) => parseTemplate(text))) ?? [];
  refusal(check, { path, stage: 'run' }, () => parsed.forEach((one) => refuseMistakes(one, check.templates)));
  for (const told of parsed.flatMap(({ tree }) => memberFindings(check, tree))) addAt(check, path, told);
  const named = new Set(parsed.flatMap(({ references }) => references));
  const missing = Array.from(named).filter((name) => !isThere(name) && !(name === ROW_ID && check.names.has(name)));
  const [first] = missing;
  if (first === undefined || check.seedColumns === undefined) return;
  const isSideEffect = missing.every((name) => check.names.has(name));
  const names = missing.map((name) => `'${name}'`).join(', ');
  const message = isSideEffect
    ? `a side effect of a column cannot be used here: ${names}.`
    : `there is no column ${names}.`;
  const among = [...columnNames, ...unreadNames, ...seedColumns];
  const remedy = isSideEffect ? 'Use the names of columns only.' : suggest(check, first, { among });
  addAt(check, path, { ...runError('invalid_reference', message, remedy), stage: 'validate' });
}

interface EntryPosition extends ProcessorPosition {
  /** Whether each text is a template by itself, which may read side effects. */
  readonly keepsTypes: boolean;
}

/** The texts and keys in an entry of a shape. */
function textsIn(entry: CellValue): readonly string[] {
  if (typeof entry === 'string') return [entry];
  if (typeof entry !== 'object' || entry === null || entry instanceof Float) return [];
  if (isList(entry)) return entry.flatMap(textsIn);
  return Object.entries(entry).flatMap(([key, value]) => [key, ...textsIn(value)]);
}

/** The result of reading a template; reports a template failure and returns undefined. */
function refusal<Result>(
  check: Check,
  { path, stage }: { path: FieldPath; stage: 'validate' | 'run' },
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('template/')) throw thrown;
    addAt(check, path, { ...templateError(failure), stage });
    return undefined;
  }
}

function checkSomethingLeft(check: Check): void {
  const { config, facts, seedColumns, parsed } = check;
  if (parsed.unread.all || parsed.unread.columns.length > 0) return;
  // Seed columns alone make a dataset only if a processor changes them (as in NeMo Data Designer).
  const counts = ({ column, type }: ColumnFacts) => !column.drop && (!type.ofSeed || config.processors.length > 0);
  if (facts.some(counts) || addedBy(check, config.processors).size > 0) return;
  if (
    (config.processors.length > 0 || check.passesSeedOn) &&
    (seedColumns === undefined || keepsSeedColumns(check, seedColumns))
  )
    return;
  const message = config.columns.length === 0 ? 'the config declares no columns.' : 'every column is dropped.';
  const error = runError('all_columns_dropped', message, 'Declare a column that is not dropped.');
  addAt(check, ['columns'], { ...error, stage: 'validate' });
}

function keepsSeedColumns({ config, registry }: Check, seedColumns: ReadonlySet<string>): boolean {
  const isDropped = (name: string) => config.processors.some((one) => registry.processorOf(one).drops?.(one, name));
  return ![...seedColumns].every(isDropped);
}
