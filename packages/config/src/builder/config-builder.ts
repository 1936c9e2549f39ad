import { stringifyJson } from '@data-designer/core';
import type { ColumnRegistry } from '../column-registry.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import { writeDataset } from '../write-dataset.ts';
import { buildConfig, loadableConfig, writtenNames } from './build-config.ts';
import type { FlatRow, WithColumn, WithoutColumn, WithoutDropped } from './column-row.ts';
import type { AddedBy, ColumnSet, OnlyKnown, OwnProcessor, OwnSource } from './column-set.ts';
import { ConfigInfo } from './config-info.ts';
import { copyDeclaration } from './copy-declaration.ts';
import type {
  ConstraintDeclaration,
  ModelDeclaration,
  ProcessorDeclaration,
  ProfilerDeclaration,
  SeedDeclaration,
  SeedOptions,
  SeedRowOf,
  ToolDeclaration,
  WithSeed,
} from './declarations.ts';
import { DeclaredList } from './declared-list.ts';
import { printYaml } from './print-yaml.ts';
import { refuseExtensions } from './refuse-extensions.ts';
import { invalid } from './refuse.ts';
import { writeConfigFile } from './write-config-file.ts';

/** What a builder starts with. */
export interface BuilderStart {
  /** The models; those of the home folder when there are none. */
  readonly modelConfigs?: readonly ModelDeclaration[];
  readonly toolConfigs?: readonly ToolDeclaration[];
  /** What the declaration is called in messages. */
  readonly source?: string;
  /** Where it comes from; one from an address may not read files of this machine. */
  readonly origin?: 'local' | 'address';
}

/** What a builder knows of the place where it is used. */
export interface BuilderSetting {
  readonly registry: ColumnRegistry;
  /** The models of a builder that is started without any. */
  readonly defaultModels: () => readonly ModelDeclaration[];
}

/** Who shall read what is written. */
export interface WriteOptions {
  /** The Python tool refuses what it does not know: so does writing for it, by name. */
  readonly for?: 'python';
}

declare const ROW: unique symbol;

/** The type of a builder's rows: what the columns of its chain write, as one plain record; any record for all else. */
export type RowOf<Declared> = Declared extends { readonly [ROW]: infer Row } ? FlatRow<Row> : Record<string, unknown>;

/**
 * Declares a dataset step by step. Every method that changes it changes this one builder and gives the same builder
 * back, its type knowing the columns of the chain: keep the last one for typed rows.
 */
export class DataDesignerConfigBuilder<Columns extends ColumnSet, Row = unknown> {
  /** For the compiler only. */
  declare readonly [ROW]: Row;
  /** What the declaration is called in messages. */
  readonly source: string;
  /** How this builder spells keys. */
  readonly spelling = 'camel';
  /** Where the declaration comes from; a seed that the program itself declares is its own. */
  origin: 'local' | 'address';
  readonly #setting: BuilderSetting;
  readonly #columns: DeclaredList<Columns['declaration']>;
  readonly #models: DeclaredList<ModelDeclaration>;
  readonly #tools: DeclaredList<ToolDeclaration>;
  readonly #processors: DeclaredList<ProcessorDeclaration>;
  #constraints: readonly ConstraintDeclaration[] = [];
  #profilers: readonly ProfilerDeclaration[] = [];
  #seed: SeedDeclaration | null = null;
  #startsWithDefaults: boolean;

  constructor(setting: BuilderSetting, start: BuilderStart = {}) {
    const { modelConfigs = [], toolConfigs = [], source = 'The config builder', origin = 'local' } = start;
    this.source = source;
    this.origin = origin;
    this.#setting = setting;
    this.#columns = new DeclaredList({ list: 'columns', member: 'column', key: 'name', source });
    this.#models = new DeclaredList({ list: 'modelConfigs', member: 'model config', key: 'alias', source });
    this.#tools = new DeclaredList({ list: 'toolConfigs', member: 'tool config', key: 'toolAlias', source });
    this.#processors = new DeclaredList({ list: 'processors', member: 'processor', key: 'name', source });
    this.#startsWithDefaults = modelConfigs.length === 0;
    // Of two with one alias the later counts, as in files.
    for (const model of modelConfigs) this.#models.put(model);
    for (const tool of toolConfigs) this.#tools.put(tool);
  }

  /**
   * Declares a column. A name that is there already keeps its place and gets the new declaration, of another type too.
   * Where a JSON Schema belongs, the schema of a library may stand (zod, or any that follows the Standard Schema and
   * gives JSON Schemas): it is converted, and types the cell. Throws `config/invalid` for one that has no JSON Schema;
   * all else is checked by `build`.
   */
  addColumn<const Config extends Columns['declaration']>(
    config: Config & OnlyKnown<Config, Columns['declaration']>,
  ): DataDesignerConfigBuilder<Columns, WithColumn<Row, Config, AddedBy<Columns, Config>>> {
    this.#columns.put(config);
    return this.#retyped();
  }

  /** Takes a column out; a name that is not there is no mistake. */
  deleteColumn<const Name extends string>(name: Name): DataDesignerConfigBuilder<Columns, WithoutColumn<Row, Name>> {
    this.#columns.delete(name);
    return this.#retyped();
  }

  /** Declares a model; throws `config/invalid` when the alias is taken. */
  addModelConfig(config: ModelDeclaration): this {
    this.#allModels().add(config);
    return this;
  }

  /** Takes a model out; an alias that is not there is no mistake. */
  deleteModelConfig(alias: string): this {
    this.#allModels().delete(alias);
    return this;
  }

  /** Declares tools; throws `config/invalid` when the alias is taken. */
  addToolConfig(config: ToolDeclaration): this {
    this.#tools.add(config);
    return this;
  }

  /** Takes tools out; an alias that is not there is no mistake. */
  deleteToolConfig(toolAlias: string): this {
    this.#tools.delete(toolAlias);
    return this;
  }

  /** Starts every row from a row of a seed dataset, in place of an earlier one; in-memory rows type the records. */
  withSeedDataset<const Source extends SeedDeclaration['source'] | OwnSource<Columns>>(
    source: Source,
    options?: SeedOptions,
  ): DataDesignerConfigBuilder<Columns, WithSeed<Row, SeedRowOf<Source>>>;
  /** The same with the type of a seed row named: what a file holds is known to its owner. */
  withSeedDataset<SeedRow extends object>(
    source: SeedDeclaration['source'] | OwnSource<Columns>,
    options?: SeedOptions,
  ): DataDesignerConfigBuilder<Columns, WithSeed<Row, SeedRow>>;
  withSeedDataset<NewRow>(
    given: SeedDeclaration['source'] | OwnSource<Columns>,
    options: SeedOptions = {},
  ): DataDesignerConfigBuilder<Columns, NewRow> {
    const source = given as SeedDeclaration['source'];
    const place = { path: 'seedConfig', source: this.source };
    // Rows in memory are read once, in a run, and may be many: they are not copied.
    const kept = 'rows' in source ? source : copyDeclaration(source, place);
    this.#seed = { ...copyDeclaration(options, place), source: kept };
    this.origin = 'local';
    return this.#retyped();
  }

  /** Holds the values of a sampler column to an inequality. */
  addConstraint(constraint: ConstraintDeclaration): this {
    const place = { path: `constraints[${this.#constraints.length}]`, source: this.source };
    this.#constraints = [...this.#constraints, copyDeclaration(constraint, place)];
    return this;
  }

  /** Takes all constraints off a column. */
  deleteConstraints(targetColumn: string): this {
    this.#constraints = this.#constraints.filter((constraint) => constraint.targetColumn !== targetColumn);
    return this;
  }

  /** Adds a step between rows and files, last, in place of the one that has its name; what it drops leaves the row. */
  addProcessor<const Step extends ProcessorDeclaration | OwnProcessor<Columns>>(
    processor: Step,
  ): DataDesignerConfigBuilder<Columns, WithoutDropped<Row, Step>> {
    this.#processors.putLast(processor as ProcessorDeclaration);
    return this.#retyped();
  }

  /** Has judgements summarised at the end of a run. */
  addProfiler(profiler: ProfilerDeclaration): this {
    const place = { path: `profilers[${this.#profilers.length}]`, source: this.source };
    this.#profilers = [...this.#profilers, copyDeclaration(profiler, place)];
    return this;
  }

  /** The columns as they were declared, in order. */
  getColumnConfigs(): readonly Columns['declaration'][] {
    return this.#columns.all();
  }

  /** The columns of one type as they were declared, in order. */
  getColumnsOfType<const Type extends Columns['declaration']['columnType']>(
    columnType: Type,
  ): readonly Extract<Columns['declaration'], { readonly columnType: Type }>[] {
    return this.getColumnConfigs().filter(
      (config): config is Extract<Columns['declaration'], { readonly columnType: Type }> =>
        config.columnType === columnType,
    );
  }

  /** The columns of all types but one, as they were declared, in order. */
  getColumnsExcludingType<const Type extends Columns['declaration']['columnType']>(
    columnType: Type,
  ): readonly Exclude<Columns['declaration'], { readonly columnType: Type }>[] {
    return this.getColumnConfigs().filter(
      (config): config is Exclude<Columns['declaration'], { readonly columnType: Type }> =>
        config.columnType !== columnType,
    );
  }

  /** How many columns there are of a type. */
  numColumnsOfType(columnType: Columns['declaration']['columnType']): number {
    return this.getColumnsOfType(columnType).length;
  }

  /** One column as it was declared; throws `config/invalid` when there is none of that name. */
  getColumnConfig(name: string): Columns['declaration'] {
    return this.#columns.get(name);
  }

  /** The models as they were declared; those of the home folder where none were. */
  get modelConfigs(): readonly ModelDeclaration[] {
    return this.#allModels().all();
  }

  /** The sets of tools as they were declared. */
  get toolConfigs(): readonly ToolDeclaration[] {
    return this.#tools.all();
  }

  /** One set of tools as it was declared; throws `config/invalid` when there is none under that alias. */
  getToolConfig(toolAlias: string): ToolDeclaration {
    return this.#tools.get(toolAlias);
  }

  /** The constraints of a column, as they were declared. */
  getConstraints(targetColumn: string): readonly ConstraintDeclaration[] {
    return this.#constraints.filter((constraint) => constraint.targetColumn === targetColumn);
  }

  /** The processors as they were declared, in the order in which they work. */
  getProcessorConfigs(): readonly ProcessorDeclaration[] {
    return this.#processors.all();
  }

  /** The profilers as they were declared. */
  getProfilers(): readonly ProfilerDeclaration[] {
    return this.#profilers;
  }

  /** The seed dataset as it was declared; null without. */
  getSeedConfig(): SeedDeclaration | null {
    return this.#seed;
  }

  /** The names that columns may refer to: those of columns, and of the side effects of columns that can be read. */
  get allowedReferences(): readonly string[] {
    return this.#columns.all().flatMap((config) => writtenNames(config, this.#setting.registry));
  }

  /** Tables of what may be declared, and of what is. */
  get info(): ConfigInfo {
    return new ConfigInfo(this.#setting.registry.types, () => this.modelConfigs);
  }

  /** The seed and the columns by type, on one line. */
  toString(): string {
    const types = [...new Set(this.getColumnConfigs().map(({ columnType }) => columnType))];
    const columns = types.map(
      (type) =>
        `${type}: ${this.getColumnsOfType(type)
          .map(({ name }) => name)
          .join(', ')}`,
    );
    const seed = this.#seed ? [`seed: ${this.#seed.source.seedType}`] : [];
    return `DataDesignerConfigBuilder(${[...seed, ...columns].join('; ')})`;
  }

  /** The whole declaration in this builder's spelling, unchecked: a `DataDesigner` takes the builder by it. */
  get document(): unknown {
    return {
      columns: this.getColumnConfigs(),
      // Models that were never touched are left to whoever reads this: a `DataDesigner` may have others.
      modelConfigs: this.#startsWithDefaults ? [] : this.modelConfigs,
      toolConfigs: this.toolConfigs,
      seedConfig: this.#seed,
      constraints: this.#constraints,
      profilers: this.#profilers,
      processors: this.getProcessorConfigs(),
    };
  }

  /**
   * The checked declaration, defaults filled in; throws `config/invalid` with every mistake and where it is, all but
   * those that only a run can see: missing providers, and what is wrong with the rows of a seed file.
   */
  build(): DatasetConfig {
    return buildConfig(this, this.#setting);
  }

  /**
   * The declaration in the form that files have; functions are written by name, which no file can be loaded with.
   * Throws `config/invalid` for mistakes that show on loading, for seed rows in memory, and with `for: 'python'` for
   * what that tool does not know.
   */
  toDict(options: WriteOptions = {}): Record<string, unknown> {
    const config = loadableConfig(this, this.#setting);
    const inMemory = config.seedConfig && this.#setting.registry.seedKindOf(config.seedConfig.source).inMemory;
    if (inMemory) {
      const message = 'rows in memory cannot be written to a config file.';
      const remedy = 'Save them as a parquet, csv or jsonl file and name that.';
      throw invalid(this.source, { type: 'not_writable', path: `seedConfig.source.${inMemory}`, message, remedy });
    }
    const written = writeDataset(config, this.#setting.registry);
    if (options.for === 'python') refuseExtensions(written, this.source);
    return { data_designer: written };
  }

  /** The declaration as YAML text; throws `config/invalid` as `toDict` does. */
  toYaml(options: WriteOptions = {}): string {
    return printYaml(this.toDict(options));
  }

  /** The declaration as JSON text; throws `config/invalid` as `toDict` does. */
  toJson(options: WriteOptions = {}): string {
    return stringifyJson(this.toDict(options), 2);
  }

  /**
   * What makes this declaration the dataset that it is, as `sha256:` and 64 digits, equal to the Python tool's hash of
   * the same declaration; throws `config/invalid` for mistakes that show on loading.
   */
  fingerprint(): string {
    return fingerprintOf(loadableConfig(this, this.#setting), this.#setting.registry);
  }

  /**
   * Writes a file, YAML or JSON by its suffix, that is there in full or not at all. Throws `config/invalid` for other
   * suffixes and as `toDict` does, and `dataset/unwritable`.
   */
  writeConfig(path: string, options: WriteOptions = {}): void {
    writeConfigFile(path, this.toDict(options));
  }

  /** The models, filled from the home folder the first time that they matter. */
  #allModels(): DeclaredList<ModelDeclaration> {
    if (this.#startsWithDefaults) {
      this.#startsWithDefaults = false;
      for (const model of this.#setting.defaultModels()) this.#models.add(model);
    }
    return this.#models;
  }

  #retyped<NewRow>(): DataDesignerConfigBuilder<Columns, NewRow> {
    return this as unknown as DataDesignerConfigBuilder<Columns, NewRow>;
  }
}
