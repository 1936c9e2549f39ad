import { DataDesignerError, type FieldPath, knownNames } from '@data-designer/core';
import { compileTemplate, parseTemplate } from '@data-designer/template';
import { isPattern, matchesPattern } from '../name-pattern.ts';
import type { Processor } from '../schemas/processor.ts';
import { isMapping } from '../spelling.ts';
import { addAt, type Check, notAvailable, readable } from './check.ts';

/** Processors must name what is there, and something must be left to write. */
export function checkProcessors(check: Check): void {
  check.config.processors.forEach((processor, index) => {
    const path: FieldPath = ['processors', index];
    addAt(check, path, notAvailable(`a processor of type '${processor.processorType}'`));
    if (processor.processorType === 'drop_columns') {
      processor.columnNames.forEach((name, position) => checkDropped(check, name, [...path, 'columnNames', position]));
    } else {
      for (const [key, entry] of Object.entries(processor.template)) {
        checkEntry(check, entry, [...path, 'template', key]);
      }
    }
  });
  checkSomethingLeft(check);
}

function checkDropped(check: Check, name: string, path: FieldPath): void {
  const { seedColumns } = check;
  const known = readable(check);
  if (known.some((one) => matchesPattern(one, name)) || seedColumns === undefined) return;
  if (isPattern(name)) {
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
  addAt(check, path, { ...told, remedy: knownNames(name, known) });
}

/**
 * Every text in a shape is a template over columns; side effects do not count here. The names in one entry that lead
 * nowhere are one finding together (as in NeMo Data Designer).
 */
function checkEntry(check: Check, entry: unknown, path: FieldPath): void {
  const { config, parsed, seedColumns } = check;
  const columns = [...config.columns.map(({ name }) => name), ...parsed.unread.columns, ...(seedColumns ?? [])];
  const named = textsIn(entry).flatMap((source) => referencesIn(check, source, path));
  const missing = [...new Set(named)].filter((name) => !columns.includes(name));
  const [first] = missing;
  if (first === undefined || seedColumns === undefined) return;
  const isSideEffect = missing.every((name) => check.names.has(name));
  const names = missing.map((name) => `'${name}'`).join(', ');
  addAt(check, path, {
    stage: 'validate',
    type: 'invalid_reference',
    level: 'ERROR',
    message: isSideEffect ? `side effects cannot be named here: ${names}.` : `there is no column ${names}.`,
    remedy: isSideEffect ? 'Name columns only.' : knownNames(first, columns),
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isMapping(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The names in a text of a shape; one that cannot be rendered is a finding. */
function referencesIn(check: Check, source: string, path: FieldPath): readonly string[] {
  const refused = (thrown: unknown, stage: 'validate' | 'run') => {
    const { code, message } = DataDesignerError.fromUnknown(thrown);
    if (!code.startsWith('template/')) throw thrown;
    addAt(check, path, { stage, type: code, level: 'ERROR', message, remedy: '' });
    return [];
  };
  try {
    parseTemplate(source);
  } catch (thrown) {
    return refused(thrown, 'validate');
  }
  try {
    compileTemplate(source, { mode: check.templates });
  } catch (thrown) {
    refused(thrown, 'run');
  }
  return parseTemplate(source).references;
}

function checkSomethingLeft(check: Check): void {
  const { config, seedColumns, parsed } = check;
  if (config.columns.some(({ drop }) => !drop) || parsed.unread.columns.length > 0) return;
  if (config.processors.length > 0 && (seedColumns === undefined || keptSeedColumns(seedColumns, config.processors)))
    return;
  addAt(check, ['columns'], {
    stage: 'validate',
    type: 'all_columns_dropped',
    level: 'ERROR',
    message: config.columns.length === 0 ? 'there is no column to make.' : 'every column is dropped.',
    remedy: 'Declare one that is kept.',
  });
}

function keptSeedColumns(seedColumns: readonly string[], processors: readonly Processor[]): boolean {
  return seedColumns.some(
    (name) =>
      !processors.some(
        (one) => one.processorType === 'drop_columns' && one.columnNames.some((entry) => matchesPattern(name, entry)),
      ),
  );
}
