import { type FieldPath, knownNames, type Setting, type Surroundings, type Violation } from '@data-designer/core';
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
  readonly seedColumns: ReadonlySet<string> | undefined;
  /** Names of columns, side effects left out. */
  readonly columnNames: ReadonlySet<string>;
  /** Names of columns and of their side effects. */
  readonly names: ReadonlySet<string>;
  /** Names of columns that could not be read. */
  readonly unreadNames: ReadonlySet<string>;
  readonly found: Violation[];
  /** The places of what was found. */
  readonly told: Set<string>;
}

/** The column that the reference tool adds, and drops, where nothing else would say how many rows there are. */
export const ROW_ID = '_internal_row_id';

/** Whether there is, or could be, something of that name to read. */
export function has({ names, seedColumns, unreadNames }: Check, name: string): boolean {
  if (names.has(name) || seedColumns === undefined || seedColumns.has(name) || unreadNames.has(name)) return true;
  return unreadNames.size > 0 && ownersOf(name).some((column) => unreadNames.has(column));
}

/** The columns that could have a name as a side effect: `a` and `a__b` that of `a__b__trace`. */
function ownersOf(name: string): string[] {
  const owners: string[] = [];
  for (let at = name.indexOf('__'); at !== -1; at = name.indexOf('__', at + 1)) owners.push(name.slice(0, at));
  return owners;
}

/** Whether there is, or could be, a column of that name; side effects do not count. */
function isColumn({ columnNames, names, seedColumns, unreadNames }: Check, name: string): boolean {
  if (columnNames.has(name) || (name === ROW_ID && names.has(name))) return true;
  return seedColumns === undefined || seedColumns.has(name) || unreadNames.has(name);
}

/** The names that could have been meant. */
function readable({ names, seedColumns = new Set(), unreadNames }: Check): string[] {
  return [...new Set([...names, ...seedColumns, ...unreadNames])].filter((name) => name !== ROW_ID);
}

type Told = Omit<Violation, 'column' | 'path'>;

/** Looking for the nearest of many names takes time: after so many findings, or names looked at, nobody needs the help. */
const MAX_HELPED = 200;
const MAX_LOOKED_AT = 200_000;

/** What could have been meant by a name that leads nowhere. */
export function suggest(
  check: Check,
  name: string,
  { not, among }: { readonly not?: string; readonly among?: Iterable<string> } = {},
): string {
  const { length } = check.found;
  if (length > MAX_HELPED) return '';
  const known = [...(among ?? readable(check))];
  if (length * known.length > MAX_LOOKED_AT) return '';
  return knownNames(
    name,
    known.filter((one) => one !== not),
  );
}

/** Notes something wrong with a column. */
export function addToColumn(check: Check, column: string, { field, ...told }: Told & { field: FieldPath }): void {
  const path = check.parsed.columnPath(column, ...field);
  check.told.add(path);
  check.found.push({ column, path, ...told });
}

/** Notes something wrong elsewhere in the dataset. */
export function addAt(check: Check, path: FieldPath, told: Told & { column?: string }): void {
  check.found.push({ path: check.parsed.pathOf(...path), ...told });
}

/** The dataset around a column or a processor, for what only its kind can check. */
export function surroundingsOf(check: Check): Surroundings {
  return {
    templates: check.templates,
    constraints: check.constraints,
    columns: new Map(check.config.columns.map((column) => [column.name, column])),
    has: (name) => isColumn(check, name),
  };
}
