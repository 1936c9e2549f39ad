import { stringifyJson } from '@data-designer/core';
import { checkOptions, oneOf, optionRule, type OptionRules } from '../check-options.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import { copyTextPart } from '../source-text.ts';
import {
  buildConfig,
  type BuilderSetting,
  loadableConfig,
  writeConfigFile,
  type WriteOptions,
  writtenConfig,
  writtenNames,
} from './build-config.ts';
import type { FlatRow, WithAttempts, WithColumn, WithoutColumn, WithoutDropped } from './column-row.ts';
import type { AddedBy, ColumnSet, OnlyFitting, OnlyKnown, OwnProcessor, OwnSource } from './column-set.ts';
import type { WithAdded } from './column-value.ts';
import { ConfigInfo } from './config-info.ts';
import { copyDeclaration } from './copy-declaration.ts';
import type {
  AttemptsDeclaration,
  EnvironmentDeclaration,
  ConstraintDeclaration,
  ModelDeclaration,
  ProcessorDeclaration,
  ProfilerDeclaration,
  SeedDeclaration,
  SeedOptions,
  SeedRowOf,
  SelectDeclaration,
  ToolDeclaration,
  WithSeed,
} from './declarations.ts';
import { DeclaredList } from './declared-list.ts';
import type { ModelNamed, OfModels, WithoutAlias } from './model-alias.ts';
import { printYaml } from './print-yaml.ts';

/** The initial contents of a builder. */
export interface BuilderStart<Alias extends string = string> {
  /** The models; those of the home folder if there are none. */
  readonly modelConfigs?: readonly ModelNamed<Alias>[];
  /** The tool configs; none by default. */
  readonly toolConfigs?: readonly ToolDeclaration[];
  /** The name of the declaration in messages. */
  readonly source?: string;
  /** The origin: a declaration from an address may not read files of this machine. */
  readonly origin?: 'local' | 'address';
}

const { list, text } = optionRule;
const START_RULES: OptionRules<BuilderStart> = {
  modelConfigs: list,
  toolConfigs: list,
  source: text,
  origin: oneOf('an origin', ['local', 'address']),
};
const WRITE_RULES: OptionRules<WriteOptions> = { for: oneOf('a program to write for', ['python']) };

declare const ROW: unique symbol;

/** The row type of a builder: the record that its columns write; any record for other types. */
export type RowOf<Declared> = Declared extends { readonly [ROW]: infer Row } ? FlatRow<Row> : Record<string, unknown>;

/**
 * Declares a dataset step by step. Every method changes this builder and returns it with the row type of the chain: use
 * the builder that the last call returns for typed rows. `Alias` is the type of its model aliases: any text if the
 * models may come from the home folder.
 */
export class ConfigBuilder<Columns extends ColumnSet, Row = unknown, Alias extends string = string> {
  /** For the compiler. */
  declare readonly [ROW]: Row;
  /** The name of the declaration in messages. */
  readonly source: string;
  /** The spelling of keys. */
  readonly spelling = 'camel';
  /** The origin of the declaration; a seed that the program declares makes it local. */
  origin: 'local' | 'address';
  readonly #setting: BuilderSetting;
  readonly #columns: DeclaredList<Columns['declaration']>;
  readonly #models: DeclaredList<ModelDeclaration>;
  readonly #tools: DeclaredList<ToolDeclaration>;
  readonly #processors: DeclaredList<ProcessorDeclaration>;
  #constraints: readonly ConstraintDeclaration[] = [];
  #profilers: readonly ProfilerDeclaration[] = [];
  #seed: SeedDeclaration | null = null;
  readonly #environments: DeclaredList<EnvironmentDeclaration>;
  readonly #attempts: DeclaredList<AttemptsDeclaration>;
  #select: SelectDeclaration | null = null;
  #startsWithDefaults: boolean;

  constructor(setting: BuilderSetting, start: BuilderStart = {}) {
    checkOptions(start, START_RULES, 'new DataDesignerConfigBuilder()');
    const { modelConfigs = [], toolConfigs = [], source = 'The config builder', origin = 'local' } = start;
    this.source = source;
    this.origin = origin;
    this.#setting = setting;
    this.#columns = new DeclaredList({ list: 'columns', member: 'column', key: 'name', source });
    this.#models = new DeclaredList({ list: 'modelConfigs', member: 'model config', key: 'alias', source });
    this.#tools = new DeclaredList({ list: 'toolConfigs', member: 'tool config', key: 'toolAlias', source });
    this.#environments = new DeclaredList({ list: 'environments', member: 'environment', key: 'name', source });
    this.#attempts = new DeclaredList({ list: 'attempts', member: 'block of attempts', key: 'name', source });
    this.#processors = new DeclaredList({ list: 'processors', member: 'processor', key: 'name', source });
    this.#startsWithDefaults = modelConfigs.length === 0;
    // The later of two with the same alias wins, as in files.
    for (const model of modelConfigs) this.#models.put(model);
    for (const tool of toolConfigs) this.#tools.put(tool);
  }

  /**
   * Declares a column, or replaces the one of the same name at its position. A schema of zod, or of another Standard
   * Schema library with JSON Schemas, may replace a JSON Schema, and types the cell. Throws `config/invalid` for a
   * schema without a JSON Schema; `build` checks the rest.
   */
  addColumn<const Config extends Columns['declaration']>(
    config: Config & OnlyKnown<Config, Columns['declaration']> & OfModels<Config, Alias>,
  ): ConfigBuilder<Columns, WithColumn<Row, Config, AddedBy<Columns, Config>>, Alias> {
    this.#columns.put(config);
    return this.#retyped();
  }

  /** Deletes a column, if it exists. */
  deleteColumn<const Name extends string>(name: Name): ConfigBuilder<Columns, WithoutColumn<Row, Name>, Alias> {
    this.#columns.delete(name);
    return this.#retyped();
  }

  /** Declares a model; throws `config/invalid` if the alias is taken. */
  addModelConfig<const Added extends string>(config: ModelNamed<Added>): ConfigBuilder<Columns, Row, Alias | Added> {
    this.#allModels().add(config);
    return this.#retyped();
  }

  /** Deletes a model, if it exists. */
  deleteModelConfig<const Deleted extends string>(
    alias: Deleted,
  ): ConfigBuilder<Columns, Row, WithoutAlias<Alias, Deleted>> {
    this.#allModels().delete(alias);
    return this.#retyped();
  }

  /** Declares a tool config; throws `config/invalid` if the alias is taken. */
  addToolConfig(config: ToolDeclaration): this {
    this.#tools.add(config);
    return this;
  }

  /** Deletes a tool config, if it exists. */
  deleteToolConfig(toolAlias: string): this {
    this.#tools.delete(toolAlias);
    return this;
  }

  /**
   * Sets the seed dataset; each row of the dataset starts from one of its rows. The records have the types of rows in
   * memory.
   */
  withSeedDataset<const Source extends SeedDeclaration['source'] | OwnSource<Columns>>(
    source: Source & OnlyFitting<Source, SeedDeclaration['source'] | OwnSource<Columns>>,
    options?: SeedOptions,
  ): ConfigBuilder<Columns, WithSeed<Row, SeedRowOf<Source>>, Alias>;
  /** The same with an explicit row type, for rows in files. */
  withSeedDataset<SeedRow extends object>(
    source: SeedDeclaration['source'] | OwnSource<Columns>,
    options?: SeedOptions,
  ): ConfigBuilder<Columns, WithSeed<Row, SeedRow>, Alias>;
  withSeedDataset<NewRow>(
    given: SeedDeclaration['source'] | OwnSource<Columns>,
    options: SeedOptions = {},
  ): ConfigBuilder<Columns, NewRow, Alias> {
    const source = given as SeedDeclaration['source'];
    const at = { path: 'seedConfig', source: this.source };
    // Rows in memory may be many, or an iterator that can be read only once: they are not copied.
    const copied = 'rows' in source ? source : copyDeclaration(source, at);
    this.#seed = copyTextPart(options, { ...copyDeclaration(options, at), source: copied });
    this.origin = 'local';
    return this.#retyped();
  }

  /** Adds a constraint on the values of a sampler column. */
  addConstraint(constraint: ConstraintDeclaration): this {
    const at = { path: `constraints[${this.#constraints.length}]`, source: this.source };
    this.#constraints = [...this.#constraints, copyDeclaration(constraint, at)];
    return this;
  }

  /** Deletes all constraints of a column. */
  deleteConstraints(targetColumn: string): this {
    this.#constraints = this.#constraints.filter((constraint) => constraint.targetColumn !== targetColumn);
    return this;
  }

  /** Adds a processor at the end, replacing one of the same name; the row type follows the columns that it drops and adds. */
  addProcessor<const Step extends ProcessorDeclaration | OwnProcessor<Columns>>(
    processor: Step & OnlyFitting<Step, ProcessorDeclaration | OwnProcessor<Columns>>,
  ): ConfigBuilder<Columns, WithAdded<WithoutDropped<Row, Step>, Step>, Alias> {
    this.#processors.putLast(processor as ProcessorDeclaration);
    return this.#retyped();
  }

  /** Adds a profiler, which summarises judge columns at the end of a run. */
  addProfiler<const Profiler extends ProfilerDeclaration>(profiler: Profiler & OfModels<Profiler, Alias>): this {
    const at = { path: `profilers[${this.#profilers.length}]`, source: this.source };
    this.#profilers = [...this.#profilers, copyDeclaration(profiler, at)];
    return this;
  }

  /**
   * Declares an environment: a state that belongs to one row, with tools that change it. A tool config offers its tools
   * by naming it in its providers. Replaces an earlier environment of that name.
   */
  addEnvironment(environment: EnvironmentDeclaration): this {
    this.#environments.put(environment);
    return this;
  }

  /** Deletes an environment, if it exists. */
  deleteEnvironment(name: string): this {
    this.#environments.delete(name);
    return this;
  }

  /** The declared environments, in order. */
  getEnvironments(): readonly EnvironmentDeclaration[] {
    return this.#environments.all();
  }

  /**
   * Makes columns several times for the same row, until an attempt is accepted, or to keep the best one, a pair or all.
   * Replaces an earlier block of that name. Call it after its columns: the row type follows them.
   */
  addAttempts<const Block extends AttemptsDeclaration>(
    block: Block,
  ): ConfigBuilder<Columns, WithAttempts<Row, Block>, Alias> {
    this.#attempts.put(block);
    return this.#retyped();
  }

  /** Deletes a block of attempts, if it exists; its columns are then made once. */
  deleteAttempts(name: string): this {
    this.#attempts.delete(name);
    return this;
  }

  /** The declared blocks of attempts, in order. */
  getAttempts(): readonly AttemptsDeclaration[] {
    return this.#attempts.all();
  }

  /**
   * Selects rows: a run then makes as many accepted rows as requested, and replaces the others. Replaces an earlier
   * selection; null removes it.
   */
  select(selection: SelectDeclaration | null): this {
    this.#select = selection && copyDeclaration(selection, { path: 'select', source: this.source });
    return this;
  }

  /** The declared columns, in order. */
  getColumnConfigs(): readonly Columns['declaration'][] {
    return this.#columns.all();
  }

  /** The declared columns of one type, in order. */
  getColumnsOfType<const Type extends Columns['declaration']['columnType']>(
    columnType: Type,
  ): readonly Extract<Columns['declaration'], { readonly columnType: Type }>[] {
    return this.getColumnConfigs().filter(
      (config): config is Extract<Columns['declaration'], { readonly columnType: Type }> =>
        config.columnType === columnType,
    );
  }

  /** The declared columns of all other types, in order. */
  getColumnsExcludingType<const Type extends Columns['declaration']['columnType']>(
    columnType: Type,
  ): readonly Exclude<Columns['declaration'], { readonly columnType: Type }>[] {
    return this.getColumnConfigs().filter(
      (config): config is Exclude<Columns['declaration'], { readonly columnType: Type }> =>
        config.columnType !== columnType,
    );
  }

  /** The number of columns of a type. */
  numColumnsOfType(columnType: Columns['declaration']['columnType']): number {
    return this.getColumnsOfType(columnType).length;
  }

  /** A declared column; throws `config/invalid` if there is none of that name. */
  getColumnConfig(name: string): Columns['declaration'] {
    return this.#columns.get(name);
  }

  /** The declared models; those of the home folder if there are none. */
  get modelConfigs(): readonly ModelDeclaration[] {
    return this.#allModels().all();
  }

  /** The declared tool configs. */
  get toolConfigs(): readonly ToolDeclaration[] {
    return this.#tools.all();
  }

  /** A declared tool config; throws `config/invalid` if there is none of that alias. */
  getToolConfig(toolAlias: string): ToolDeclaration {
    return this.#tools.get(toolAlias);
  }

  /** The declared constraints of a column. */
  getConstraints(targetColumn: string): readonly ConstraintDeclaration[] {
    return this.#constraints.filter((constraint) => constraint.targetColumn === targetColumn);
  }

  /** The declared processors, in the order in which they run. */
  getProcessorConfigs(): readonly ProcessorDeclaration[] {
    return this.#processors.all();
  }

  /** The declared profilers. */
  getProfilers(): readonly ProfilerDeclaration[] {
    return this.#profilers;
  }

  /** The declared seed dataset; null if there is none. */
  getSeedConfig(): SeedDeclaration | null {
    return this.#seed;
  }

  /** The names that columns may reference: columns and their side effects. */
  get allowedReferences(): readonly string[] {
    return this.#columns.all().flatMap((config) => writtenNames(config, this.#setting.registry));
  }

  /** Prints the available samplers and the declared models. */
  get info(): ConfigInfo {
    return new ConfigInfo(this.#setting.registry.types, () => this.modelConfigs);
  }

  /** The seed and the columns by type, in one line. */
  toString(): string {
    const types = [...new Set(this.getColumnConfigs().map(({ columnType }) => columnType))];
    const namesOf = (type: string) => this.getColumnsOfType(type).map(({ name }) => name);
    const columns = types.map((type) => `${type}: ${namesOf(type).join(', ')}`);
    const seed = this.#seed ? [`seed: ${this.#seed.source.seedType}`] : [];
    return `DataDesignerConfigBuilder(${[...seed, ...columns].join('; ')})`;
  }

  /** The unchecked declaration in camelCase, which a `DataDesigner` reads. */
  get document(): unknown {
    return {
      columns: this.getColumnConfigs(),
      // Untouched models stay open: a `DataDesigner` may have other default models.
      modelConfigs: this.#startsWithDefaults ? [] : this.modelConfigs,
      toolConfigs: this.toolConfigs,
      seedConfig: this.#seed,
      constraints: this.#constraints,
      profilers: this.#profilers,
      processors: this.getProcessorConfigs(),
      ...(this.#environments.all().length > 0 && { environments: this.#environments.all() }),
      ...(this.#attempts.all().length > 0 && { attempts: this.#attempts.all() }),
      ...(this.#select ? { select: this.#select } : {}),
    };
  }

  /**
   * The checked declaration with its defaults; throws `config/invalid` with all errors and their paths, except those that
   * only a run finds: missing providers and faults of seed rows.
   */
  build(): DatasetConfig {
    return buildConfig(this, this.#setting);
  }

  /**
   * The declaration as files have it; functions are written by name, which cannot be loaded. Throws `config/invalid` for
   * errors that show on loading, for seed rows in memory, and with `for: 'python'` for what that tool does not support.
   */
  toDict(options: WriteOptions = {}): Record<string, unknown> {
    return this.#written(options, 'toDict()');
  }

  /** The declaration as YAML text; throws `config/invalid` as `toDict` does. */
  toYaml(options: WriteOptions = {}): string {
    return printYaml(this.#written(options, 'toYaml()'));
  }

  /** The declaration as JSON text; throws `config/invalid` as `toDict` does. */
  toJson(options: WriteOptions = {}): string {
    return stringifyJson(this.#written(options, 'toJson()'), 2);
  }

  /**
   * The hash of the declaration: `sha256:` and 64 digits, equal to that of the Python tool. Throws `config/invalid` for
   * errors that show on loading.
   */
  fingerprint(): string {
    return fingerprintOf(loadableConfig(this, this.#setting), this.#setting.registry);
  }

  /**
   * Writes a YAML or JSON file, by its suffix, completely or not at all. Throws `config/invalid` for other suffixes and as
   * `toDict` does, and `dataset/unwritable`.
   */
  writeConfig(path: string, options: WriteOptions = {}): void {
    writeConfigFile(path, this.#written(options, 'writeConfig()'));
  }

  #written(options: WriteOptions, call: string): Record<string, unknown> {
    checkOptions(options, WRITE_RULES, call);
    return { data_designer: writtenConfig(this, this.#setting, options) };
  }

  /** The models, filled from the home folder on first use. */
  #allModels(): DeclaredList<ModelDeclaration> {
    if (this.#startsWithDefaults) {
      this.#startsWithDefaults = false;
      for (const model of this.#setting.defaultModels()) this.#models.add(model);
    }
    return this.#models;
  }

  #retyped<NewRow, NewAlias extends string>(): ConfigBuilder<Columns, NewRow, NewAlias> {
    return this as unknown as ConfigBuilder<Columns, NewRow, NewAlias>;
  }
}
