import { DataDesignerError, knownNames, type ColumnConfig, type Reference, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import type { RegisteredColumn } from './define-column.ts';
import type { ParsedDataset } from './parse-dataset.ts';
import type { DatasetConfig } from './schemas/dataset-config.ts';

/** The names of the providers that a run could use. */
export interface ProviderNames {
  readonly models: readonly string[];
  readonly tools: readonly string[];
}

/** What a check looks at, and where its findings go. */
interface Check {
  readonly config: DatasetConfig;
  readonly registry: ColumnRegistry;
  readonly providers: ProviderNames;
  readonly place: ParsedDataset['place'];
  readonly found: Violation[];
}

/** Everything about a parsed declaration that can be known to be wrong before a run, all at once. */
export function checkDataset(parsed: ParsedDataset, registry: ColumnRegistry, providers: ProviderNames): Violation[] {
  const check: Check = { config: parsed.config, registry, providers, place: parsed.place, found: [] };
  checkNames(check);
  checkAliases(check);
  const columns = allNames(check);
  parsed.config.columns.forEach((column, index) => {
    checkReferences(check, { column, index, columns });
    checkSpending(check, column, index);
  });
  return check.found;
}

/** The column type of a parsed column, its functions taking any config: the schema has already said that it fits. */
export function typeOf(column: ColumnConfig, registry: ColumnRegistry): RegisteredColumn {
  const type = registry.get(column.columnType);
  if (!type) throw new DataDesignerError('internal/unexpected', { reason: `no column type '${column.columnType}'` });
  return type;
}

function add(check: Check, violation: Omit<Violation, 'level'>): void {
  check.found.push({ ...violation, level: 'ERROR' });
}

function allNames({ config, registry }: Check): string[] {
  return config.columns.flatMap((column) =>
    typeOf(column, registry)
      .writes(column as never)
      .map(({ name }) => name),
  );
}

/** No two columns, side effects included, may write the same name. */
function checkNames(check: Check): void {
  const owner = new Map<string, string>();
  check.config.columns.forEach((column, index) => {
    for (const { name } of typeOf(column, check.registry).writes(column as never)) {
      const other = owner.get(name);
      if (other !== undefined) {
        const message =
          other === name ? `there are two columns named '${name}'.` : `'${name}' is also written by '${other}'.`;
        const path = check.place('columns', index, 'name');
        add(check, {
          stage: 'load',
          type: 'duplicate_name',
          column: column.name,
          path,
          message,
          remedy: 'Rename one.',
        });
      }
      owner.set(name, column.name);
    }
  });
}

function checkReferences(check: Check, at: { column: ColumnConfig; index: number; columns: readonly string[] }): void {
  const { column, index, columns } = at;
  const known = columns.filter((name) => name !== column.name);
  const local = 'fill' in typeOf(column, check.registry);
  for (const { name, field, optional } of readsOf(check, column, index)) {
    if (known.includes(name)) {
      if (local && !isLocal(name, check))
        addLateRead(check, { column, path: check.place('columns', index, field), name });
      continue;
    }
    if (optional) continue;
    add(check, {
      stage: 'validate',
      type: 'invalid_reference',
      column: column.name,
      path: check.place('columns', index, field),
      message: name === column.name ? `it names its own column '${name}'.` : `there is no column '${name}'.`,
      remedy: knownNames(name, known),
    });
  }
}

/** Whether a name belongs to a column that is filled before any row is opened. */
function isLocal(name: string, { config, registry }: Check): boolean {
  const maker = config.columns.find((column) =>
    typeOf(column, registry)
      .writes(column as never)
      .some((one) => one.name === name),
  );
  return maker !== undefined && 'fill' in typeOf(maker, registry);
}

/** A column that is sampled ahead of the rows cannot wait for what a row makes. */
function addLateRead(check: Check, { column, path, name }: { column: ColumnConfig; path: string; name: string }): void {
  add(check, {
    stage: 'run',
    type: 'invalid_reference',
    column: column.name,
    path,
    message: `'${name}' is made later, row by row; a sampled column can read sampled columns only.`,
    remedy: 'Name a sampler column.',
  });
}

/** The references of a column; a template that cannot be used is a finding of its own. */
function readsOf(check: Check, column: ColumnConfig, index: number): readonly Reference[] {
  try {
    return typeOf(column, check.registry).reads(column as never);
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('template/')) throw failure;
    const path = check.place('columns', index);
    const stage = failure.code === 'template/syntax' ? 'load' : 'run';
    add(check, { stage, type: failure.code, column: column.name, path, message: failure.message, remedy: '' });
    return [];
  }
}

/** The models and tools that a column pays for must be declared. */
function checkSpending(check: Check, column: ColumnConfig, index: number): void {
  const { models, tools } = typeOf(column, check.registry).spends?.(column as never) ?? { models: [], tools: [] };
  const { config } = check;
  const unknown = (names: readonly string[], known: readonly string[], kind: 'model' | 'tool') => {
    for (const name of names) {
      if (known.includes(name)) continue;
      const path = check.place('columns', index, `${kind}Alias`);
      const message = `there is no ${kind} config with the alias '${name}'.`;
      const remedy = knownNames(name, known);
      add(check, { stage: 'run', type: `unknown_${kind}_alias`, column: column.name, path, message, remedy });
    }
  };
  unknown(
    models,
    config.modelConfigs.map(({ alias }) => alias),
    'model',
  );
  unknown(
    tools,
    config.toolConfigs.map(({ toolAlias }) => toolAlias),
    'tool',
  );
}

/** Providers that model and tool configs name must be there. */
function checkAliases(check: Check): void {
  const { models, tools } = check.providers;
  const unknown = (name: string, known: readonly string[], path: string) => {
    if (known.includes(name)) return;
    const message = `there is no provider named '${name}'.`;
    add(check, {
      stage: 'run',
      type: 'unknown_provider',
      path,
      message,
      remedy: `${knownNames(name, known)} Others come from --providers FILE.`,
    });
  };
  check.config.modelConfigs.forEach(({ provider }, index) =>
    unknown(provider, models, check.place('modelConfigs', index, 'provider')),
  );
  check.config.toolConfigs.forEach(({ allowTools }, index) => {
    if (allowTools?.length !== 0) return;
    const path = check.place('toolConfigs', index, 'allowTools');
    const message = 'the list of allowed tools is empty.';
    add(check, {
      stage: 'run',
      type: 'empty_allow_list',
      path,
      message,
      remedy: 'Name tools, or leave it out to allow all.',
    });
  });
  check.config.toolConfigs.forEach(({ providers }, index) =>
    providers.forEach((name, position) =>
      unknown(name, tools, check.place('toolConfigs', index, 'providers', position)),
    ),
  );
}
