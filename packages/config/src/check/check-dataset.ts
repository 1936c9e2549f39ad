import type { ArrowField, TemplateEngine, Violation } from '@data-designer/core';
import type { ColumnRegistry } from '../column-registry.ts';
import type { ParsedDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import type { ToolConfig } from '../schemas/tool-config.ts';
import type { SeedCheckOptions } from '../seed/seed-kind.ts';
import { attemptFields } from '../attempt-columns.ts';
import { withEnvironments } from '../environment-columns.ts';
import { checkBudget, type SpendingBounds } from './check-budget.ts';
import { checkConstraints } from './check-constraints.ts';
import { checkKeys, type KeyOptions } from './check-keys.ts';
import { checkModels } from './check-models.ts';
import { checkProcessors } from './check-processors.ts';
import { checkReferences, skipOnItself } from './check-references.ts';
import { checkSeed, type SeedRows } from './check-seed.ts';
import { loadRareChecks } from './load-rare-checks.ts';
import { checkPrograms, checkServers, type ServerPermissions } from './check-servers.ts';
import { checkTemplates } from './check-templates.ts';
import { RESERVED_KEY } from '../spelling.ts';
import {
  addAt,
  addToColumn,
  type Check,
  type ProviderNames,
  reservedName,
  ROW_ID,
  runError,
  surroundingsOf,
  templateError,
} from './check.ts';
import { addedBeforeRows, type ColumnFacts, factsOf } from './column-facts.ts';
import { dependenciesOf } from './dependencies.ts';
import { orderColumns } from './order-columns.ts';

/** What to check a declaration against. */
export interface CheckOptions {
  readonly registry: ColumnRegistry;
  /** The providers of a run; not checked if absent. */
  readonly providers?: ProviderNames | undefined;
  /** How templates are rendered; `secure` unless given. */
  readonly templates?: TemplateEngine;
  /** Tool configs that a declaration may name without declaring them: usually those of the home folder. */
  readonly knownTools?: readonly ToolConfig[];
  /** What a seed may read and which servers columns may call; by default files from the working folder. */
  readonly permissions?: (SeedCheckOptions & ServerPermissions) | undefined;
  /** The rows that a selection must accept; not checked if absent. */
  readonly rows?: number | undefined;
  /** The inspected seed rows. */
  readonly seedRows?: SeedRows | undefined;
  /** The budget of a run; not checked if absent. */
  readonly spending?: SpendingBounds | undefined;
  /** The keys of the providers; not checked if absent. */
  readonly keys?: KeyOptions | undefined;
  /** Whether seed columns alone make a dataset, as in a stage of a workflow; else a processor must change them. */
  readonly passesSeedOn?: boolean | undefined;
}

/** Finds all errors of a parsed declaration that show before a run. */
export function checkDataset(parsed: ParsedDataset, options: CheckOptions): readonly Violation[] {
  const { registry, providers, templates = 'secure', knownTools = [], seedRows } = options;
  const { config, unread } = parsed;
  const facts = withEnvironments(
    config.columns.map((column) => factsOf(column, registry)),
    config,
  );
  const own = unread.seed ? undefined : setOf(seedColumnsOf(config, registry, seedRows));
  const early = addedBeforeRows(config.processors, registry);
  const addedFirst = new Set(early.map(({ name }) => name).filter((name) => own?.has(name) !== true));
  const typed = typedColumns(facts, unread.seed ? undefined : seedRows);
  const check: Check = {
    parsed,
    config,
    registry,
    facts,
    providers,
    rows: options.rows,
    templates,
    constraints: config.constraints,
    knownTools,
    passesSeedOn: options.passesSeedOn ?? false,
    seedColumns: own && new Set([...own, ...addedFirst]),
    addedFirst,
    typed: new Map([...typed, ...early.map((field) => [field.name, field] as const)]),
    columnNames: new Set(config.columns.map(({ name }) => name)),
    names: namesIn(facts, config),
    unreadNames: new Set(unread.columns),
    found: [],
    told: new Set(),
  };
  checkReplaced(check);
  checkTemplates(check);
  checkNames(check);
  checkColumns(check);
  checkReferences(check);
  checkModels(check);
  if (config.toolConfigs.length > 0) loadRareChecks().checkToolNames(check);
  if (options.spending) checkBudget(check, options.spending);
  if (options.keys) checkKeys(check, options.keys);
  checkServers(check, options.permissions ?? {});
  checkPrograms(check);
  checkConstraints(check);
  checkSeed(check, { seedRows, permissions: options.permissions ?? OWN_FILES() });
  checkProcessors(check);
  if ((config.environments ?? []).length > 0) loadRareChecks().checkEnvironments(check);
  if ((config.attempts ?? []).length > 0) loadRareChecks().checkAttempts(check);
  if (config.select) loadRareChecks().checkSelect(check, options.permissions ?? OWN_FILES());
  checkOrder(check);
  return [...parsed.violations, ...check.found];
}

function namesIn(facts: readonly ColumnFacts[], { seedConfig, attempts = [] }: DatasetConfig): ReadonlySet<string> {
  const written = facts.flatMap(({ column, writes }) => [column.name, ...writes.map(({ name }) => name)]);
  const ofBlocks = attempts.flatMap((block) => attemptFields(block, facts).map(({ name }) => name));
  const names = [...written, ...ofBlocks];
  const sourced = seedConfig !== null || facts.some(({ type }) => 'fill' in type || type.ofSeed);
  return new Set(sourced ? names : [...names, ROW_ID]);
}

/** The types of columns. A value of skipped cells may have another type, and only inspected seed rows have known ones. */
function typedColumns(facts: readonly ColumnFacts[], seedRows: SeedRows | undefined): ReadonlyMap<string, ArrowField> {
  const own = facts.flatMap(({ column, type, writes }) =>
    type.ofSeed || (column.skip?.value ?? null) !== null ? [] : writes,
  );
  return new Map([...(seedRows?.fields ?? []), ...own].map((field) => [field.name, field]));
}

const OWN_FILES = (): SeedCheckOptions => ({ folder: process.cwd(), localFiles: true, secrets: [] });

function setOf(names: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return names && new Set(names);
}

function seedColumnsOf(
  { seedConfig }: DatasetConfig,
  registry: ColumnRegistry,
  rows: SeedRows | undefined,
): readonly string[] | undefined {
  if (seedConfig === null) return [];
  if (rows) return rows.columns;
  return registry.seedKindOf(seedConfig.source).columns?.(seedConfig.source);
}

/** Reports columns that wait for each other. */
function checkOrder(check: Check): void {
  const sorted = orderColumns(dependenciesOf(check.facts, check.config.constraints));
  if ('order' in sorted) return;
  const [first = ''] = sorted.circle;
  const message = `the columns depend on each other: ${sorted.circle.join(' -> ')}.`;
  const error = runError('circular_reference', message, 'Remove one of these references.');
  addToColumn(check, first, { field: [], ...error });
}

/** Checks the columns that a later one of the same name replaces: the Python tool loads them before it drops them. */
function checkReplaced(check: Check): void {
  for (const { column, index } of check.parsed.replaced) {
    const { templates, skipReferences, writes } = factsOf(column, check.registry);
    for (const { declared, failure } of templates) {
      if (!failure || declared.role === 'condition') continue;
      addAt(check, ['columns', index, ...declared.field], { ...templateError(failure), stage: 'load' });
    }
    const own = skipReferences.find(({ name }) => writes.some((one) => one.name === name));
    if (!own) continue;
    addAt(check, ['columns', index, 'skip', 'when'], skipOnItself(own.name));
  }
}

/** Runs the checks of the column types themselves. */
function checkColumns(check: Check): void {
  const surroundings = surroundingsOf(check);
  for (const { column, type } of check.facts) {
    for (const finding of type.check?.(column, surroundings) ?? []) addToColumn(check, column.name, finding);
  }
}

/** Checks that no two columns, side effects included, write the same name, nor that of a seed column. */
function checkNames(check: Check): void {
  const owner = new Map<string, string>();
  for (const { column, writes } of check.facts) {
    const add = (error: ReturnType<typeof runError>) => addToColumn(check, column.name, { field: ['name'], ...error });
    if (column.name === '') add(runError('empty_name', 'the name is empty.', 'Enter a name.'));
    for (const { name } of writes) {
      if (name === RESERVED_KEY) add(reservedName('column'));
      const other = owner.get(name);
      const message = `'${name}' is also written by '${other}'.`;
      if (other !== undefined) add(runError('duplicate_name', message, 'Rename one of the two columns.'));
      owner.set(name, column.name);
    }
    if (!check.seedColumns?.has(column.name)) continue;
    const message = `the seed also has a column '${column.name}'.`;
    add({ ...runError('seed_column_collision', message, 'Rename this column.'), stage: 'validate' });
  }
}
