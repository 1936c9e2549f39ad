import type { z } from 'zod';
import { type ColumnConfig, itemsOf, knownNames, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import { readForm } from './read-form.ts';
import { constraint } from './schemas/constraint.ts';
import { type DatasetConfig, wrappedShell } from './schemas/dataset-config.ts';
import { modelConfig, type ModelConfig } from './schemas/model-config.ts';
import { profiler } from './schemas/profiler.ts';
import { toolConfig } from './schemas/tool-config.ts';
import { settleDataset } from './settle-dataset.ts';
import { given, isMapping, type Mapping } from './spelling.ts';
import { kindOf, printPath, type Spelling, violationsOf } from './violations.ts';

/** How a declaration is read. */
export interface ParseOptions {
  /** The models of a declaration that names none: those of the home folder, usually. */
  readonly defaultModels?: readonly ModelConfig[];
  /** How messages spell what is missing; as files do unless said. */
  readonly spelling?: Spelling;
}

/** What stands in a declaration and could not be read, so that naming it is no further mistake. */
interface Unread {
  /** Names of columns; their side effects are not known. */
  readonly columns: readonly string[];
  /** Aliases of models. */
  readonly models: readonly string[];
  /** Aliases of tools. */
  readonly tools: readonly string[];
  /** Whether there are seed rows about which nothing is known. */
  readonly seed: boolean;
  /** Whether nothing is known of the columns, since they are no list. */
  readonly all: boolean;
}

/** What a document declares, member by member. */
interface Declared {
  readonly columns: readonly Mapping[];
  readonly modelConfigs: readonly unknown[];
  readonly toolConfigs: readonly unknown[];
  readonly seedConfig: Mapping | null;
  readonly constraints: readonly unknown[];
  readonly profilers: readonly unknown[];
  readonly processors: readonly unknown[];
}

/** A column that could be read, and its position in the document. */
interface ReadColumn {
  readonly column: ColumnConfig;
  readonly index: number;
  /** The declaration itself, keys in camelCase. */
  readonly declared: Mapping;
}

/** A parsed declaration, and where everything stands in its document for later findings. */
export interface ParsedDataset {
  /** What could be read: without the columns that could not, and without a part that has a mistake. */
  readonly config: DatasetConfig;
  readonly violations: readonly Violation[];
  readonly unread: Unread;
  /** The parts of the document as they were read, keys in camelCase, before defaults and normalisation. */
  readonly declared: Declared;
  /** Whether the models are the default ones, since the declaration has none. */
  readonly hasDefaultModels: boolean;
  /** Columns that a later one of their name replaced, with their positions in the document. */
  readonly replaced: readonly ReadColumn[];
  /** Path of a place in the dataset, as the document spells it. */
  readonly pathOf: (...path: readonly PropertyKey[]) => string;
  /** Path of a place within a column. */
  readonly columnPath: (column: string, ...path: readonly PropertyKey[]) => string;
}

/** Parses a declaration in either form and either spelling; every mistake is collected, none is thrown. */
export function parseDataset(document: unknown, registry: ColumnRegistry, options: ParseOptions = {}): ParsedDataset {
  const { defaultModels = [], spelling = 'snake' } = options;
  const { inner, prefix, violations } = unwrap(document, spelling);
  const pathOf = (...path: readonly PropertyKey[]) => printPath([...prefix, ...path], document, spelling);
  const {
    shell,
    declared: parts,
    unread: unreadParts,
  } = readShell(inner, registry.shell, { prefix, document, spelling, violations });
  const unreadColumns: string[] = [];
  const read: ReadColumn[] = [];
  columnsOf(inner).forEach((input, index) => {
    const at = { prefix: [...prefix, 'columns', index], document, spelling, violations };
    const parsed = parseColumn(input, registry, at);
    if (parsed) read.push({ ...parsed, index });
    else unreadColumns.push(...textAt(input, 'name'));
  });
  const settled = settleDataset(
    read.map(({ column }) => column),
    { ...shell, defaultModels, registry },
  );
  append(
    violations,
    settled.repeated(pathOf, (position) => read[position]?.index ?? position),
  );
  const positions = new Map(read.map(({ column, index }) => [column.name, index]));
  const replaced = read.filter(({ column, index }) => positions.get(column.name) !== index);
  const columnPath = (name: string, ...path: readonly PropertyKey[]) =>
    pathOf('columns', positions.get(name) ?? 0, ...path);
  const all = !isMapping(inner) || !Array.isArray(inner.columns);
  const unread = { columns: unreadColumns, all, ...unreadParts };
  const declared = { ...parts, columns: read.map((one) => one.declared) };
  const hasDefaultModels = shell.modelConfigs.length === 0 && unread.models.length === 0;
  const { config } = settled;
  return { config, violations: bounded(violations), unread, declared, hasDefaultModels, replaced, pathOf, columnPath };
}

function columnsOf(inner: unknown): readonly unknown[] {
  return itemsOf(isMapping(inner) ? inner.columns : undefined);
}

/** The text that a mapping holds under a declared key, if it does. */
function textAt(input: unknown, key: string): string[] {
  const text = isMapping(input) ? given(input, key) : undefined;
  return typeof text === 'string' ? [text] : [];
}

/** The dataset's mapping, out of its wrapper if it has one. */
function unwrap(document: unknown, spelling: Spelling): { inner: unknown; prefix: string[]; violations: Violation[] } {
  const value = readForm(wrappedShell, document);
  if (!isMapping(value) || !Object.hasOwn(value, 'dataDesigner'))
    return { inner: document, prefix: [], violations: [] };
  const shell = wrappedShell.safeParse(value);
  const parsed = { schema: wrappedShell, value, prefix: [], document, spelling };
  const violations = shell.success ? [] : violationsOf(shell.error.issues, parsed);
  return { inner: value.dataDesigner, prefix: ['dataDesigner'], violations };
}

interface ParseContext {
  readonly prefix: readonly PropertyKey[];
  readonly document: unknown;
  readonly spelling: Spelling;
  readonly violations: Violation[];
}

type Shell = Omit<DatasetConfig, 'columns'>;

/** Everything but the columns: what has a mistake is told and left out, so that the rest can still be checked. */
function readShell(
  inner: unknown,
  datasetShell: ColumnRegistry['shell'],
  at: ParseContext,
): { shell: Shell; declared: Omit<Declared, 'columns'>; unread: Omit<Unread, 'columns' | 'all'> } {
  const value = readForm(datasetShell, inner);
  const parsed = datasetShell.safeParse(value);
  if (!isMapping(inner)) at.violations.push(noMapping(inner, at));
  else if (!parsed.success) {
    append(at.violations, violationsOf(parsed.error.issues, { schema: datasetShell, value, ...at }));
  }
  const { models, tools, ...rest } = memberSchemas;
  const processor = datasetShell.shape.processors.unwrap().unwrap().element;
  const readList = <S extends z.ZodType>(key: string, schema: S) =>
    listOf(isMapping(value) ? value[key] : null, schema);
  const modelConfigs = readList('modelConfigs', models);
  const toolConfigs = readList('toolConfigs', tools);
  const seed = datasetShell.shape.seedConfig.safeParse(isMapping(value) ? value.seedConfig : undefined);
  const shell = {
    modelConfigs: modelConfigs.read,
    toolConfigs: toolConfigs.read,
    seedConfig: seed.success ? seed.data : null,
    constraints: readList('constraints', rest.constraints).read,
    profilers: readList('profilers', rest.profilers).read,
    processors: readList('processors', processor).read,
  };
  const unread = {
    models: modelConfigs.unread.flatMap((input) => textAt(input, 'alias')),
    tools: toolConfigs.unread.flatMap((input) => textAt(input, 'toolAlias')),
    seed: !seed.success,
  };
  const listed = (key: string) => itemsOf(isMapping(value) ? value[key] : undefined);
  const declared = {
    modelConfigs: listed('modelConfigs'),
    toolConfigs: listed('toolConfigs'),
    seedConfig: isMapping(value) && isMapping(value.seedConfig) ? value.seedConfig : null,
    constraints: listed('constraints'),
    profilers: listed('profilers'),
    processors: listed('processors'),
  };
  return { shell, declared, unread };
}

/** What holds no keys at all, such as a file of remarks or another tool's list. */
function noMapping(inner: unknown, { prefix, document, spelling }: ParseContext): Violation {
  return {
    stage: 'load',
    type: 'invalid_value',
    level: 'ERROR',
    path: printPath(prefix, document, spelling),
    message: `a config is a mapping of keys to values, and this is ${kindOf(inner)}.`,
    remedy: "Its columns stand under the key 'columns'.",
  };
}

/** A list may be too long to be spread into arguments. */
function append(violations: Violation[], more: readonly Violation[]): void {
  for (const violation of more) violations.push(violation);
}

/** So many are told: nobody reads more of them. */
const MAX_TOLD = 1000;

function bounded(violations: Violation[]): readonly Violation[] {
  if (violations.length <= MAX_TOLD) return violations;
  const message = `there are ${violations.length - MAX_TOLD} more mistakes.`;
  const more: Violation = {
    stage: 'load',
    type: 'more',
    level: 'ERROR',
    path: '',
    message,
    remedy: 'Correct these first.',
  };
  return [...violations.slice(0, MAX_TOLD), more];
}

const memberSchemas = {
  models: modelConfig,
  tools: toolConfig,
  constraints: constraint,
  profilers: profiler,
} as const;

/** The members of a list that its schema accepts, and those that it does not. */
function listOf<S extends z.ZodType>(list: unknown, schema: S): { read: z.output<S>[]; unread: unknown[] } {
  const read: z.output<S>[] = [];
  const unread: unknown[] = [];
  for (const member of itemsOf(list)) {
    const parsed = schema.safeParse(member);
    if (parsed.success) read.push(parsed.data);
    else unread.push(member);
  }
  return { read, unread };
}

function parseColumn(
  input: unknown,
  registry: ColumnRegistry,
  at: ParseContext,
): Omit<ReadColumn, 'index'> | undefined {
  const typeName = isMapping(input) ? given(input, 'columnType') : undefined;
  const type = typeof typeName === 'string' ? registry.get(typeName) : undefined;
  if (!type) {
    at.violations.push(unknownType(input, registry, at));
    return undefined;
  }
  const { schema } = type;
  const value = readForm(schema, input);
  const parsed = schema.safeParse(value);
  if (parsed.success) return { column: parsed.data as unknown as ColumnConfig, declared: value as Mapping };
  const [column] = textAt(input, 'name');
  const { prefix, document, spelling } = at;
  const named = column === undefined ? {} : { column };
  append(at.violations, violationsOf(parsed.error.issues, { schema, value, prefix, document, spelling, ...named }));
  return undefined;
}

function unknownType(
  input: unknown,
  registry: ColumnRegistry,
  { prefix, document, spelling }: ParseContext,
): Violation {
  const typeName = isMapping(input) ? given(input, 'columnType') : undefined;
  const text = typeof typeName === 'string' ? typeName : undefined;
  const [column] = textAt(input, 'name');
  const message = text === undefined ? 'the column has no type.' : `there is no column type '${text}'.`;
  return {
    stage: 'load',
    type: 'unknown_column_type',
    level: 'ERROR',
    ...(column === undefined ? {} : { column }),
    path: printPath(isMapping(input) ? [...prefix, 'columnType'] : prefix, document, spelling),
    message: isMapping(input) ? message : 'a column is a mapping of fields to values.',
    remedy: knownNames(text ?? '', registry.names),
  };
}
