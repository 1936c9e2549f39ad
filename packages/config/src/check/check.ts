import {
  type ArrowField,
  DataDesignerError,
  type FieldPath,
  isFailure,
  knownNames,
  nearest,
  SHORTER_TEMPLATE,
  type Setting,
  type Surroundings,
  type TextPosition,
  type Violation,
} from '@data-designer/core';
import type { ColumnRegistry } from '../column-registry.ts';
import type { ParsedDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import type { ColumnFacts } from './column-facts.ts';
import { loadRemedies } from '../load-remedies.ts';
import { RESERVED_KEY } from '../spelling.ts';

/** The tools of a provider, without its prefix. */
export interface OfferedNames {
  readonly names: readonly string[];
  readonly prefix?: string | undefined;
}

/** The names of the providers that a run could use. */
export interface ProviderNames {
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** Those that run programs by a command; none if absent. */
  readonly programs?: readonly string[];
  /** The tool providers that are child processes: whether they name the folder of a row. */
  readonly processes?: ReadonlyMap<string, { readonly namesRowFolder: boolean }>;
  /** Finds the tools of providers that are known without starting a server, by provider; reads their files. */
  readonly offered?: () => ReadonlyMap<string, OfferedNames>;
  /** Why some model providers cannot be used, and what to do, by name. */
  readonly unusable?: ReadonlyMap<string, { readonly message: string; readonly remedy: string }>;
}

/** The input of every part of the check, and its findings. */
export interface Check extends Setting {
  readonly parsed: ParsedDataset;
  readonly config: DatasetConfig;
  readonly registry: ColumnRegistry;
  readonly facts: readonly ColumnFacts[];
  /** The rows that a selection must accept; undefined if no number is given. */
  readonly rows: number | undefined;
  /** Undefined if providers are not checked. */
  readonly providers: ProviderNames | undefined;
  /** Tool configs that a declaration may name without declaring them. */
  readonly knownTools: readonly ToolConfig[];
  /** Whether seed columns alone make a dataset. */
  readonly passesSeedOn: boolean;
  /** Columns of the seed rows: none without a seed, undefined if unknown. */
  readonly seedColumns: ReadonlySet<string> | undefined;
  /** The columns that processors add before rows begin, which count as seed columns. */
  readonly addedFirst: ReadonlySet<string>;
  /** The columns whose values are known to have the type that they are written with. */
  readonly typed: ReadonlyMap<string, ArrowField>;
  /** Names of columns, without side effects. */
  readonly columnNames: ReadonlySet<string>;
  /** Names of columns and of their side effects. */
  readonly names: ReadonlySet<string>;
  /** Names of columns that could not be read. */
  readonly unreadNames: ReadonlySet<string>;
  readonly found: Violation[];
  /** The paths of the findings. */
  readonly told: Set<string>;
}

/** The column that the Python tool adds and drops if nothing else determines the number of rows. */
export const ROW_ID = '_internal_row_id';

/** Whether something of that name can be read, or may exist among what could not be parsed. */
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

/** The same for columns only, without side effects. */
function isColumn({ columnNames, names, seedColumns, unreadNames }: Check, name: string): boolean {
  if (columnNames.has(name) || (name === ROW_ID && names.has(name))) return true;
  return seedColumns === undefined || seedColumns.has(name) || unreadNames.has(name);
}

/** The candidates for a suggestion: columns first, then what they write beside themselves. */
function readable({ columnNames, names, seedColumns = new Set(), unreadNames }: Check): string[] {
  const columns = [...columnNames, ...seedColumns, ...unreadNames];
  return [...new Set([...columns, ...names])].filter((name) => name !== ROW_ID);
}

type Told = Omit<Violation, 'column' | 'path'>;

/** Suggestions end after this many findings or compared names, because the search takes time. */
const MAX_SUGGESTED = 200;
const MAX_COMPARED = 200_000;

interface SuggestOptions {
  /** Names that cannot be meant. */
  readonly not?: readonly string[];
  /** The candidates; everything readable unless given. */
  readonly among?: Iterable<string>;
  /** Whether a template reads the name, which not every column lets it do. */
  readonly isRead?: boolean;
}

/** A suggestion in place of an unknown name. */
export function suggest(check: Check, name: string, { not = [], among, isRead = false }: SuggestOptions = {}): string {
  const { length } = check.found;
  if (length > MAX_SUGGESTED) return '';
  const known = [...(among ?? readable(check))];
  if (length * known.length > MAX_COMPARED) return '';
  const others = known.filter((one) => !not.includes(one));
  const near = isRead ? nearest(name, others) : undefined;
  const rename = near === undefined ? undefined : loadRemedies().renameColumn(near);
  return rename === undefined ? knownNames(name, others) : `Did you mean '${near}'? ${rename}`;
}

/** An error that shows in a run. */
export function runError(type: string, message: string, remedy: string): Told {
  return { stage: 'run', level: 'ERROR', type, message, remedy };
}

/** The error of a name that no key of an object can have. */
export function reservedName(what: string): Told {
  return runError('reserved_name', `no ${what} can be named '${RESERVED_KEY}'.`, `Rename the ${what}.`);
}

/** The place of a mistake within a text, if it is known. */
export function placed(within: TextPosition | undefined): Pick<Told, 'within'> {
  return within === undefined ? {} : { within: { line: within.line, column: within.column } };
}

/** A failure of a template as an error that shows in a run. Messages of refusals and unknown filters end with a remedy. */
export function templateError(failure: DataDesignerError): Told {
  const { code, message } = failure;
  const [, mistake = message, own] = /^(.*? is not supported\.) (.+)$/s.exec(message) ?? [];
  if (code === 'template/unsupported-filter' && own !== undefined) return runError(code, mistake, own);
  const remedy = remedyOf(failure);
  const told = runError(code, message.endsWith(` ${remedy}`) ? message.slice(0, -remedy.length - 1) : message, remedy);
  return isFailure(failure, 'template/syntax') ? { ...told, ...placed(failure.data) } : told;
}

/** The same for a template of a column: a name with a space is a syntax error, whose remedy is another name. */
export function templateErrorIn(check: Check, source: string, failure: DataDesignerError): Told {
  const told = templateError(failure);
  if (!isFailure(failure, 'template/syntax')) return told;
  return { ...told, remedy: loadRemedies().renameColumnIn(source, readable(check)) ?? told.remedy };
}

function remedyOf(failure: DataDesignerError): string {
  if (isFailure(failure, 'template/refused')) return failure.data.remedy;
  if (isFailure(failure, 'template/limit')) return failure.data.remedy ?? SHORTER_TEMPLATE;
  return 'Correct the template.';
}

/** The template failure of a compilation; undefined if there is none. Throws other errors. */
export function templateFailure(compile: () => void): DataDesignerError | undefined {
  try {
    compile();
    return undefined;
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('template/')) throw failure;
    return failure;
  }
}

/** Adds a finding about a column. */
export function addToColumn(check: Check, column: string, { field, ...told }: Told & { field: FieldPath }): void {
  const path = check.parsed.columnPath(column, ...field);
  check.told.add(path);
  check.found.push({ column, path, ...told });
}

/** How a provider that is missing is added. */
export const ADD_PROVIDER =
  'To add a provider, use --providers FILE, the home folder, or in code new DataDesigner({ providers }).';

/** Adds a finding about another part of the dataset. */
export function addAt(check: Check, path: FieldPath, told: Told & { column?: string }): void {
  check.found.push({ path: check.parsed.pathOf(...path), ...told });
}

/** The dataset around a column or a processor, for the check of its type. */
export function surroundingsOf(check: Check): Surroundings {
  return {
    templates: check.templates,
    constraints: check.constraints,
    columns: new Map(check.config.columns.map((column) => [column.name, column])),
    has: (name) => isColumn(check, name),
    fieldOf: (name) => check.typed.get(name),
  };
}
