import { type FieldPath, knownNames, type Setting, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from '../column-registry.ts';
import type { ParsedDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import type { ColumnFacts } from './column-facts.ts';

/** The names of the providers that a run could use. */
export interface ProviderNames {
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** Why some model providers cannot be used, and what to do, by name. */
  readonly unusable?: ReadonlyMap<string, { readonly message: string; readonly remedy: string }>;
}

/** What every part of the check looks at, and where its findings go. */
export interface Check extends Setting {
  readonly parsed: ParsedDataset;
  readonly config: DatasetConfig;
  readonly registry: ColumnRegistry;
  readonly facts: readonly ColumnFacts[];
  /** Undefined where it is not asked whether providers exist. */
  readonly providers: ProviderNames | undefined;
  /** Sets of tools that a declaration may name without declaring them. */
  readonly knownTools: readonly ToolConfig[];
  /** Columns of the seed rows: none without seed, undefined where they are not known. */
  readonly seedColumns: readonly string[] | undefined;
  /** Names of columns and of their side effects. */
  readonly names: ReadonlySet<string>;
  readonly found: Violation[];
  /** The places of what was found. */
  readonly told: Set<string>;
}

/** The column that the reference tool adds, and drops, where nothing else would say how many rows there are. */
export const ROW_ID = '_internal_row_id';

/** Whether there is, or could be, something of that name to read. */
export function has({ names, seedColumns, parsed }: Check, name: string): boolean {
  if (names.has(name) || seedColumns === undefined || seedColumns.includes(name)) return true;
  return parsed.unread.columns.some((column) => name === column || name.startsWith(`${column}__`));
}

/** Whether there is, or could be, a column of that name; side effects do not count. */
export function isColumn({ config, names, seedColumns, parsed }: Check, name: string): boolean {
  if (config.columns.some((column) => column.name === name) || (name === ROW_ID && names.has(name))) return true;
  return seedColumns === undefined || seedColumns.includes(name) || parsed.unread.columns.includes(name);
}

/** The names that could have been meant. */
export function readable({ names, seedColumns = [], parsed }: Check): string[] {
  return [...names, ...seedColumns, ...parsed.unread.columns].filter((name) => name !== ROW_ID);
}

type Told = Omit<Violation, 'column' | 'path'>;

/** Looking for the nearest of many names takes time: after so many findings nobody needs the help. */
const MAX_HELPED = 200;

/** What could have been meant by a name that leads nowhere. */
export function suggest(check: Check, name: string, { not }: { readonly not?: string } = {}): string {
  if (check.found.length > MAX_HELPED) return '';
  return knownNames(
    name,
    readable(check).filter((known) => known !== not),
  );
}

/** Notes something wrong with a column. */
export function addToColumn(check: Check, column: string, { field, ...told }: Told & { field: FieldPath }): void {
  const path = check.parsed.columnPlace(column, ...field);
  check.told.add(path);
  check.found.push({ column, path, ...told });
}

/** Notes something wrong elsewhere in the dataset. */
export function addAt(check: Check, path: FieldPath, told: Told & { column?: string }): void {
  check.found.push({ path: check.parsed.place(...path), ...told });
}
