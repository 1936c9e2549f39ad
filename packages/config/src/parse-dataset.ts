import type { z } from 'zod';
import { type Fields, fieldsOf, itemsOf, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import { parseColumn, type ParseContext, type ReadColumn, textAt } from './parse-column.ts';
import { loadRemedies } from './load-remedies.ts';
import { ONCE, readForm } from './read-form.ts';
import { attemptsConfig } from './schemas/attempts-config.ts';
import { constraint } from './schemas/constraint.ts';
import { type DatasetConfig, wrappedShell } from './schemas/dataset-config.ts';
import { environmentConfig } from './schemas/environment-config.ts';
import { modelConfig, type ModelConfig } from './schemas/model-config.ts';
import { profiler } from './schemas/profiler.ts';
import { toolConfig } from './schemas/tool-config.ts';
import { settleDataset } from './settle-dataset.ts';
import { isMapping, type Mapping, RESERVED_KEY, reservedKeys } from './spelling.ts';
import { kindOf } from './describe-issue.ts';
import { loadError, printPath, type Spelling } from './document-path.ts';
import { booleansAsNumbers, ignoredKeys, violationsOf } from './violations.ts';

/** How to parse a declaration. */
export interface ParseOptions {
  /** The models of a declaration without any: usually those of the home folder. */
  readonly defaultModels?: readonly ModelConfig[];
  /** The spelling of missing keys in messages; snake_case unless given. */
  readonly spelling?: Spelling;
}

/** Declared names that could not be parsed, so that a reference to one is no further error. */
interface Unread {
  /** Names of columns; their side effects are unknown. */
  readonly columns: readonly string[];
  /** Aliases of models. */
  readonly models: readonly string[];
  /** Aliases of tools. */
  readonly tools: readonly string[];
  /** Whether the seed could not be parsed. */
  readonly seed: boolean;
  /** Whether no column is known, because the columns are no list. */
  readonly all: boolean;
}

/** The parts of a document, with keys in camelCase, before defaults and normalisation. */
interface Declared {
  readonly columns: readonly Mapping[];
  readonly modelConfigs: readonly unknown[];
  readonly toolConfigs: readonly unknown[];
  readonly seedConfig: Mapping | null;
  readonly constraints: readonly unknown[];
  readonly profilers: readonly unknown[];
  readonly processors: readonly unknown[];
  readonly environments?: readonly unknown[];
  readonly attempts?: readonly unknown[];
  readonly select?: Mapping;
}

/** A parsed declaration, with the positions of its parts in the document for later findings. */
export interface ParsedDataset {
  /** The valid parts. */
  readonly config: DatasetConfig;
  readonly violations: readonly Violation[];
  readonly unread: Unread;
  readonly declared: Declared;
  /** Whether the declaration has no models, so that `config` has the default ones. */
  readonly hasDefaultModels: boolean;
  /** Columns that a later one of the same name replaced. */
  readonly replaced: readonly ReadColumn[];
  /** Prints a path of the dataset in the document's spelling. */
  readonly pathOf: (...path: readonly PropertyKey[]) => string;
  /** Prints a path within a column. */
  readonly columnPath: (column: string, ...path: readonly PropertyKey[]) => string;
}

/** Parses a declaration in either form and either spelling; all errors are collected, none is thrown. */
export function parseDataset(document: unknown, registry: ColumnRegistry, options: ParseOptions = {}): ParsedDataset {
  const { defaultModels = [], spelling = 'snake' } = options;
  const { inner, prefix, violations } = unwrap(document, spelling);
  const at = { prefix, document, spelling, violations };
  const pathOf = (...path: readonly PropertyKey[]) => printPath([...prefix, ...path], document, spelling);
  for (const path of reservedKeys(document)) violations.push(loadError(printPath(path, document, spelling), RESERVED));
  const { shell, declared: parts, unread: unreadParts } = readShell(inner, registry.shell, at);
  const unreadColumns: string[] = [];
  const read: ReadColumn[] = [];
  itemsOf(fieldsOf(inner).columns).forEach((input, index) => {
    const parsed = parseColumn(input, registry, { ...at, prefix: [...prefix, 'columns', index] });
    if (parsed) read.push({ ...parsed, index });
    if (!parsed || parsed.isMended) unreadColumns.push(...textAt(input, 'name'));
  });
  const columns = read.map(({ column }) => column);
  const { config, repeated } = settleDataset(columns, { ...shell, defaultModels, registry });
  append(
    violations,
    repeated(pathOf, (position) => read[position]?.index ?? position),
  );
  const positions = new Map(read.map(({ column, index }) => [column.name, index]));
  return {
    config,
    violations: bounded(violations),
    unread: { ...unreadParts, columns: unreadColumns, all: !isMapping(inner) || !Array.isArray(inner.columns) },
    declared: { ...parts, columns: read.map(({ declared }) => declared) },
    hasDefaultModels: shell.modelConfigs.length === 0 && unreadParts.models.length === 0,
    replaced: read.filter(({ column, index }) => positions.get(column.name) !== index),
    pathOf,
    columnPath: (name, ...path) => pathOf('columns', positions.get(name) ?? 0, ...path),
  };
}

const RESERVED = { type: 'reserved_key', message: `no key can be named '${RESERVED_KEY}'.`, remedy: 'Rename the key.' };

/** The mapping of the dataset, taken out of its wrapper if it has one. */
function unwrap(document: unknown, spelling: Spelling): { inner: unknown; prefix: string[]; violations: Violation[] } {
  const value = readForm(wrappedShell, document);
  if (!isMapping(value) || !Object.hasOwn(value, 'dataDesigner'))
    return { inner: document, prefix: [], violations: [] };
  const shell = wrappedShell.safeParse(value, ONCE);
  const parsed = { schema: wrappedShell, value, prefix: [], document, spelling };
  const violations = shell.success ? [] : violationsOf(shell.error.issues, parsed);
  return { inner: value.dataDesigner, prefix: ['dataDesigner'], violations };
}

type Shell = Omit<DatasetConfig, 'columns'>;

/** Everything but the columns; invalid parts are reported and left out, so that the rest can still be checked. */
function readShell(
  inner: unknown,
  schema: ColumnRegistry['shell'],
  at: ParseContext,
): { shell: Shell; declared: Omit<Declared, 'columns'>; unread: Omit<Unread, 'columns' | 'all'> } {
  const value = readForm(schema, inner);
  const parsed = schema.safeParse(value, ONCE);
  append(at.violations, booleansAsNumbers(inner, value, at));
  if (!isMapping(inner)) at.violations.push(notMapping(inner, at));
  else if (!parsed.success) {
    const found = violationsOf(parsed.error.issues, { schema, value, ...at });
    append(at.violations, loadRemedies().withoutStrays(found, inner, at));
  }
  const declared = declaredIn(fieldsOf(value));
  const models = listOf(declared.modelConfigs, modelConfig);
  const tools = listOf(declared.toolConfigs, toolConfig);
  const seed = schema.shape.seedConfig.safeParse(fieldsOf(value).seedConfig, ONCE);
  if (seed.success) {
    append(at.violations, ignoredKeys(['seedConfig', 'source'], seed.data?.source, { schema, value, ...at }));
  }
  const shell = {
    modelConfigs: models.read,
    toolConfigs: tools.read,
    seedConfig: seed.success ? seed.data : null,
    constraints: listOf(declared.constraints, constraint).read,
    profilers: listOf(declared.profilers, profiler).read,
    processors: listOf(declared.processors, schema.shape.processors.unwrap().unwrap().element).read,
  };
  const environments = listOf(itemsOf(fieldsOf(value).environments), environmentConfig).read;
  const attempts = listOf(itemsOf(fieldsOf(value).attempts), attemptsConfig).read;
  const select = schema.shape.select.safeParse(fieldsOf(value).select, ONCE).data;
  const unread = {
    models: [
      ...namesIn(fieldsOf(value).modelConfigs, 'alias'),
      ...models.unread.flatMap((input) => textAt(input, 'alias')),
    ],
    tools: [
      ...namesIn(fieldsOf(value).toolConfigs, 'toolAlias'),
      ...tools.unread.flatMap((input) => textAt(input, 'toolAlias')),
    ],
    seed: !seed.success,
  };
  const optional = {
    ...(environments.length > 0 && { environments }),
    ...(attempts.length > 0 && { attempts }),
    ...(select ? { select } : {}),
  };
  return { shell: { ...shell, ...optional }, declared, unread };
}

/** The names in a mapping that should be a list: its keys, unless it is itself an entry with a name. */
function namesIn(value: unknown, field: string): readonly string[] {
  const own = textAt(value, field);
  return own.length > 0 ? own : isMapping(value) ? Object.keys(value) : [];
}

function declaredIn(value: Fields): Omit<Declared, 'columns'> {
  return {
    modelConfigs: itemsOf(value.modelConfigs),
    toolConfigs: itemsOf(value.toolConfigs),
    seedConfig: isMapping(value.seedConfig) ? value.seedConfig : null,
    constraints: itemsOf(value.constraints),
    profilers: itemsOf(value.profilers),
    processors: itemsOf(value.processors),
    ...(itemsOf(value.environments).length > 0 && { environments: itemsOf(value.environments) }),
    ...(itemsOf(value.attempts).length > 0 && { attempts: itemsOf(value.attempts) }),
    ...(isMapping(value.select) ? { select: value.select } : {}),
  };
}

/** The error of a document without keys, such as a file of comments or a list. */
function notMapping(inner: unknown, { prefix, document, spelling }: ParseContext): Violation {
  const message = `a config must be a mapping of keys to values, but this is ${kindOf(inner)}.`;
  const remedy = "Declare the columns under the key 'columns'.";
  return loadError(printPath(prefix, document, spelling), { type: 'invalid_value', message, remedy });
}

/** A list may be too long to spread into arguments. */
function append(violations: Violation[], more: readonly Violation[]): void {
  for (const violation of more) violations.push(violation);
}

/** The maximum number of reported errors. */
const MAX_TOLD = 1000;

function bounded(violations: Violation[]): readonly Violation[] {
  if (violations.length <= MAX_TOLD) return violations;
  const message = `there are ${violations.length - MAX_TOLD} more mistakes.`;
  return [
    ...violations.slice(0, MAX_TOLD),
    loadError('', { type: 'more', message, remedy: 'Correct the mistakes above first.' }),
  ];
}

/** The items of a list that its schema accepts, and the others. */
function listOf<S extends z.ZodType>(
  list: readonly unknown[],
  schema: S,
): { readonly read: z.output<S>[]; readonly unread: unknown[] } {
  const read: z.output<S>[] = [];
  const unread: unknown[] = [];
  for (const item of list) {
    const parsed = schema.safeParse(item, ONCE);
    if (parsed.success) read.push(parsed.data);
    else unread.push(item);
  }
  return { read, unread };
}
