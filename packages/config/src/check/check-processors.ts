import { type CellValue, DataDesignerError, type FieldPath } from '@data-designer/core';
import { compileObjectTemplate, objectReferences, parseTemplate, pythonText } from '@data-designer/template';
import { isPattern, matchesPattern } from '../name-pattern.ts';
import type { Processor } from '../processors/processor-types.ts';
import { hasPrintedNames } from '../processors/shape-fields.ts';
import { addAt, type Check, has, ROW_ID, suggest, surroundingsOf } from './check.ts';
import type { ColumnFacts } from './column-facts.ts';

/** Processors must name what is there, and something must be left to write. */
export function checkProcessors(check: Check): void {
  const { processors } = check.config;
  processors.forEach((processor, index) => {
    const path: FieldPath = ['processors', index];
    if (processor.processorType === 'drop_columns') {
      processor.columnNames.forEach((name, position) => checkDropped(check, name, [...path, 'columnNames', position]));
    } else if (processor.processorType === 'schema_transform')
      checkShape(check, processor, { path, before: processors.slice(0, index) });
    else checkKind(check, processor, { path, before: processors.slice(0, index) });
  });
  checkSomethingLeft(check);
}

/** What a type of processor says of itself: its own checks, and the columns that a table of its rows is made of. */
function checkKind(
  check: Check,
  processor: Processor,
  { path, before }: { readonly path: FieldPath; readonly before: readonly Processor[] },
): void {
  const type = check.registry.processorOf(processor);
  const findings = type.check?.(processor, surroundingsOf(check)) ?? [];
  for (const { field, ...told } of findings) addAt(check, [...path, ...field], told);
  if (!type.sideTable || findings.some(({ level }) => level === 'ERROR')) return;
  checkFolderName(check, processor.name, [...path, 'name']);
  checkStillThere(check, type.sideTable.reads(processor), { path, before });
}

type Transform = Extract<Processor, { processorType: 'schema_transform' }>;

function checkShape(
  check: Check,
  { name, template: shape }: Transform,
  { path, before }: { readonly path: FieldPath; readonly before: readonly Processor[] },
): void {
  const found = check.found.length;
  for (const [key, entry] of Object.entries(shape)) checkEntry(check, entry, [...path, 'template', key]);
  checkFolderName(check, name, [...path, 'name']);
  if (check.found.length > found) return;
  const at = { path: [...path, 'template'], stage: 'run' } as const;
  refusal(check, at, () => compileObjectTemplate(shape, { mode: check.templates }));
  if (check.found.length > found) return;
  if (hasPrintedNames(shape) || Object.keys(shape).length === 0) {
    const message = 'the columns of a shape must be there, and have names that are the same for every row.';
    addAt(check, at.path, { stage: 'run', type: 'shape_names', level: 'ERROR', message, remedy: NAME_THEM });
  }
  checkStillThere(check, objectReferences(shape), { path: at.path, before });
}

const NAME_THEM = 'Give names without templates; within a column, keys may be templates.';

/** What an earlier processor has dropped is not there for a later one. */
function checkStillThere(
  check: Check,
  references: readonly string[],
  { path, before }: { readonly path: FieldPath; readonly before: readonly Processor[] },
): void {
  for (const name of references) {
    const dropper = before.find((one) => check.registry.processorOf(one).drops?.(one, name));
    if (!dropper || !has(check, name)) continue;
    addAt(check, path, {
      stage: 'run',
      type: 'dropped_before',
      level: 'ERROR',
      message: `'${name}' is not there: the processor '${dropper.name}', which comes before, drops it.`,
      remedy: 'Put this processor before that one.',
    });
  }
}

/** What no folder may have in its name, on any system. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}]|^\s*$|^\.{1,2}$/u;

/** File systems take at least 255 bytes. */
const LONGEST_NAME = 200;

/** What a processor writes stands in a folder of its name. */
function checkFolderName(check: Check, name: string, path: FieldPath): void {
  if (!FORBIDDEN.test(name) && Buffer.byteLength(name) <= LONGEST_NAME) return;
  addAt(check, path, {
    stage: 'run',
    type: 'processor_name',
    level: 'ERROR',
    message: `${JSON.stringify(name.slice(0, 80))} cannot be the name of a folder, where what it makes is written.`,
    remedy: 'Choose a name of letters, digits, spaces, dots, dashes and underscores.',
  });
}

function checkDropped(check: Check, name: string, path: FieldPath): void {
  const { names, seedColumns, unreadNames } = check;
  if (seedColumns === undefined || [names, seedColumns, unreadNames].some((some) => some.has(name))) return;
  if (isPattern(name)) {
    if ([...names, ...seedColumns, ...unreadNames].some((one) => matchesPattern(one, name))) return;
    addAt(check, path, {
      stage: 'validate',
      type: 'invalid_column',
      level: 'WARNING',
      message: `no column matches '${name}'.`,
      remedy: 'Leave it out, or correct it.',
    });
    return;
  }
  const message = `there is no column '${name}'.`;
  const told = { stage: 'validate', type: 'invalid_column', level: 'ERROR', column: name, message } as const;
  addAt(check, path, { ...told, remedy: suggest(check, name) });
}

/**
 * An entry of a shape is one template over columns, lists and mappings in it as Python writes them; side effects do not
 * count here, and the names that lead nowhere are one finding together (as in NeMo Data Designer).
 */
function checkEntry(check: Check, entry: CellValue, path: FieldPath): void {
  const { columnNames, unreadNames, seedColumns = new Set<string>() } = check;
  const isThere = (name: string) => columnNames.has(name) || unreadNames.has(name) || seedColumns.has(name);
  const text = pythonText(entry);
  const named = refusal(check, { path, stage: 'validate' }, () => parseTemplate(text).references) ?? [];
  const missing = named.filter((name) => !isThere(name) && !(name === ROW_ID && check.names.has(name)));
  const [first] = missing;
  if (first === undefined || check.seedColumns === undefined) return;
  const isSideEffect = missing.every((name) => check.names.has(name));
  const names = missing.map((name) => `'${name}'`).join(', ');
  addAt(check, path, {
    stage: 'validate',
    type: 'invalid_reference',
    level: 'ERROR',
    message: isSideEffect ? `side effects cannot be named here: ${names}.` : `there is no column ${names}.`,
    remedy: isSideEffect
      ? 'Name columns only.'
      : suggest(check, first, { among: [...columnNames, ...unreadNames, ...seedColumns] }),
  });
}

/** What reading gives; why a template cannot be read or rendered is a finding, and gives undefined. */
function refusal<Result>(
  check: Check,
  { path, stage }: { path: FieldPath; stage: 'validate' | 'run' },
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (thrown) {
    const { code, message } = DataDesignerError.fromUnknown(thrown);
    if (!code.startsWith('template/')) throw thrown;
    addAt(check, path, { stage, type: code, level: 'ERROR', message, remedy: '' });
    return undefined;
  }
}

function checkSomethingLeft(check: Check): void {
  const { config, facts, seedColumns, parsed } = check;
  if (parsed.unread.all || parsed.unread.columns.length > 0) return;
  // Columns of seed rows alone are worth a dataset only where something is done to them (as in NeMo Data Designer).
  const counts = ({ column, type }: ColumnFacts) => !column.drop && (!type.ofSeed || config.processors.length > 0);
  if (facts.some(counts)) return;
  if (config.processors.length > 0 && (seedColumns === undefined || keepsSeedColumns(check, seedColumns))) return;
  addAt(check, ['columns'], {
    stage: 'validate',
    type: 'all_columns_dropped',
    level: 'ERROR',
    message: config.columns.length === 0 ? 'there is no column to make.' : 'every column is dropped.',
    remedy: 'Declare one that is kept.',
  });
}

function keepsSeedColumns({ config, registry }: Check, seedColumns: ReadonlySet<string>): boolean {
  const isDropped = (name: string) => config.processors.some((one) => registry.processorOf(one).drops?.(one, name));
  return ![...seedColumns].every(isDropped);
}
