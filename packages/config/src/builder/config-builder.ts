import { stringifyJson } from '@data-designer/core';
import type { z } from 'zod';
import type { ColumnRegistry } from '../column-registry.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import type { modelConfig } from '../schemas/model-config.ts';
import type { toolConfig } from '../schemas/tool-config.ts';
import { writeDataset } from '../write-dataset.ts';
import { buildConfig } from './build-config.ts';
import type { FlatRow, WithColumn, WithoutColumn } from './column-row.ts';
import type { AddedBy, ColumnSet, DeclarationOf, OnlyKnown } from './column-set.ts';
import { DeclaredList } from './declared-list.ts';
import { printYaml } from './print-yaml.ts';
import { writtenNames } from './written-names.ts';
import { writeConfigFile } from './write-config-file.ts';

/** A model under an alias, as it is declared. */
export type ModelDeclaration = DeclarationOf<z.input<typeof modelConfig>>;
/** Tools under an alias, as they are declared. */
export type ToolDeclaration = DeclarationOf<z.input<typeof toolConfig>>;

/** What a builder starts with. */
export interface BuilderStart {
  readonly modelConfigs?: readonly ModelDeclaration[];
  readonly toolConfigs?: readonly ToolDeclaration[];
  /** What the declaration is called in messages. */
  readonly source?: string;
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
  readonly #registry: ColumnRegistry;
  readonly #columns: DeclaredList<Columns['declaration']>;
  readonly #models: DeclaredList<ModelDeclaration>;
  readonly #tools: DeclaredList<ToolDeclaration>;

  constructor(registry: ColumnRegistry, start: BuilderStart = {}) {
    const { modelConfigs = [], toolConfigs = [], source = 'The config builder' } = start;
    this.source = source;
    this.#registry = registry;
    this.#columns = new DeclaredList({ list: 'columns', member: 'column', key: 'name', source });
    this.#models = new DeclaredList({ list: 'modelConfigs', member: 'model config', key: 'alias', source });
    this.#tools = new DeclaredList({ list: 'toolConfigs', member: 'tool config', key: 'toolAlias', source });
    for (const model of modelConfigs) this.addModelConfig(model);
    for (const tool of toolConfigs) this.addToolConfig(tool);
  }

  /**
   * Declares a column. A name that is there already keeps its place and gets the new declaration, of another type too.
   * Where a JSON Schema belongs, a zod schema may stand: it is converted, and types the cell. Throws `config/invalid`
   * for one that has no JSON Schema; all else is checked by `build`.
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
    this.#models.add(config);
    return this;
  }

  /** Takes a model out; an alias that is not there is no mistake. */
  deleteModelConfig(alias: string): this {
    this.#models.delete(alias);
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

  /** The columns as they were declared, in order. */
  getColumnConfigs(): readonly Columns['declaration'][] {
    return this.#columns.all();
  }

  /** The columns of one type as they were declared, in order. */
  getColumnsOfType<const Type extends Columns['declaration']['columnType']>(
    columnType: Type,
  ): readonly Extract<Columns['declaration'], { readonly columnType: Type }>[] {
    return this.getColumnConfigs().filter((config) => config.columnType === columnType) as never;
  }

  /** One column as it was declared; throws `config/invalid` when there is none of that name. */
  getColumnConfig(name: string): Columns['declaration'] {
    return this.#columns.get(name);
  }

  /** The models as they were declared. */
  get modelConfigs(): readonly ModelDeclaration[] {
    return this.#models.all();
  }

  /** The sets of tools as they were declared. */
  get toolConfigs(): readonly ToolDeclaration[] {
    return this.#tools.all();
  }

  /** One set of tools as it was declared; throws `config/invalid` when there is none under that alias. */
  getToolConfig(toolAlias: string): ToolDeclaration {
    return this.#tools.get(toolAlias);
  }

  /** The names that columns may refer to: those of columns, and of the side effects of columns that can be read. */
  get allowedReferences(): readonly string[] {
    return this.#columns.all().flatMap((config) => writtenNames(config, this.#registry));
  }

  /** The whole declaration in this builder's spelling, unchecked: a `DataDesigner` takes the builder by it. */
  get document(): unknown {
    return { columns: this.getColumnConfigs(), modelConfigs: this.modelConfigs, toolConfigs: this.toolConfigs };
  }

  /** The checked declaration, defaults filled in; throws `config/invalid` with every mistake and where it is. */
  build(): DatasetConfig {
    return buildConfig(this, this.#registry);
  }

  /** The declaration in the form that files have; throws `config/invalid` as `build` does. */
  toDict(): Record<string, unknown> {
    return writeDataset(this.build(), this.#registry) as Record<string, unknown>;
  }

  /** The declaration as YAML text; throws `config/invalid` as `build` does. */
  toYaml(): string {
    return printYaml(this.toDict());
  }

  /** The declaration as JSON text; throws `config/invalid` as `build` does. */
  toJson(): string {
    return stringifyJson(this.toDict(), 2);
  }

  /**
   * Writes a file, YAML or JSON by its suffix, that is there in full or not at all. Throws `config/invalid` for other
   * suffixes and as `build` does, `dataset/unwritable` and `dataset/disk-full`.
   */
  writeConfig(path: string): void {
    writeConfigFile(path, this.toDict());
  }

  #retyped<NewRow>(): DataDesignerConfigBuilder<Columns, NewRow> {
    return this as unknown as DataDesignerConfigBuilder<Columns, NewRow>;
  }
}
