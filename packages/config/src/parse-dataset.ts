import { type ColumnConfig, knownNames, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import { readForm } from './read-form.ts';
import { datasetShell, type DatasetConfig, wrappedShell } from './schemas/dataset-config.ts';
import { isMapping } from './spelling.ts';
import { printPath, violationsOf } from './violations.ts';

/** A parsed declaration, and where each column stands in its document for later findings. */
export interface ParsedDataset {
  readonly config: DatasetConfig;
  readonly violations: readonly Violation[];
  /** Path of a place in the dataset, as the document spells it. */
  readonly place: (...path: readonly PropertyKey[]) => string;
}

/** Parses a declaration in either form and either spelling; every mistake is collected, none is thrown. */
export function parseDataset(document: unknown, registry: ColumnRegistry): ParsedDataset {
  const { inner, prefix, violations } = unwrap(document);
  const place = (...path: readonly PropertyKey[]) => printPath([...prefix, ...path], document);
  const value = readForm(datasetShell, inner);
  const shell = datasetShell.safeParse(value);
  if (!shell.success) {
    violations.push(...violationsOf(shell.error.issues, { schema: datasetShell, value, prefix, document }));
  }
  const columns = columnsOf(inner).map((column, index) =>
    parseColumn(column, registry, { prefix: [...prefix, 'columns', index], document, violations }),
  );
  const config = {
    columns: columns.filter((column) => column !== undefined),
    modelConfigs: (shell.success && shell.data.modelConfigs) || [],
    toolConfigs: (shell.success && shell.data.toolConfigs) || [],
  };
  return { config, violations, place };
}

function columnsOf(inner: unknown): readonly unknown[] {
  return isMapping(inner) && Array.isArray(inner.columns) ? (inner.columns as unknown[]) : [];
}

/** The dataset's mapping, out of its wrapper if it has one. */
function unwrap(document: unknown): { inner: unknown; prefix: string[]; violations: Violation[] } {
  const value = readForm(wrappedShell, document);
  if (!isMapping(value) || !('dataDesigner' in value)) return { inner: document, prefix: [], violations: [] };
  const shell = wrappedShell.safeParse(value);
  const parsed = { schema: wrappedShell, value, prefix: [], document };
  const violations = shell.success ? [] : violationsOf(shell.error.issues, parsed);
  return { inner: value.dataDesigner, prefix: ['dataDesigner'], violations };
}

interface Place {
  readonly prefix: readonly PropertyKey[];
  readonly document: unknown;
  readonly violations: Violation[];
}

function parseColumn(input: unknown, registry: ColumnRegistry, at: Place): ColumnConfig | undefined {
  const typeName = isMapping(input) ? (input.columnType ?? input.column_type) : undefined;
  const type = typeof typeName === 'string' ? registry.get(typeName) : undefined;
  if (!type) {
    at.violations.push(unknownType(typeName, registry, at));
    return undefined;
  }
  const { schema } = type;
  const value = readForm(schema, input);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as unknown as ColumnConfig;
  const name = isMapping(input) && typeof input.name === 'string' ? { column: input.name } : {};
  const { prefix, document } = at;
  at.violations.push(...violationsOf(parsed.error.issues, { schema, value, prefix, document, ...name }));
  return undefined;
}

function unknownType(typeName: unknown, registry: ColumnRegistry, { prefix, document }: Place): Violation {
  const text = typeof typeName === 'string' ? typeName : undefined;
  return {
    stage: 'load',
    type: 'unknown_column_type',
    level: 'ERROR',
    path: printPath([...prefix, 'columnType'], document),
    message: text === undefined ? 'the column has no type.' : `there is no column type '${text}'.`,
    remedy: knownNames(text ?? '', registry.names),
  };
}
