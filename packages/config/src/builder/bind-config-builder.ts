import { checkDataset } from '../check/check-dataset.ts';
import { ColumnRegistry } from '../column-registry.ts';
import { parseDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import type { ColumnSet } from './column-set.ts';
import { type BuilderStart, DataDesignerConfigBuilder } from './config-builder.ts';
import type { ModelDeclaration } from './declarations.ts';
import type { FetchOptions } from '../fetch/fetch-document.ts';
import { type ConfigSource, readSource, type SourceDocument } from './read-source.ts';
import { refuseAll } from './refuse.ts';

/** A builder class that knows its column types. */
export interface ConfigBuilderClass<Columns extends ColumnSet> {
  new (start?: BuilderStart): DataDesignerConfigBuilder<Columns>;
  /**
   * A builder with everything that a file, an address, a text or a mapping declares, in either spelling; its rows are
   * not typed. Rejects with `config/unreadable`, or `config/invalid` with every mistake that shows on loading.
   */
  fromConfig(
    source: ConfigSource,
    options?: FetchOptions,
  ): Promise<DataDesignerConfigBuilder<Columns, Record<string, unknown>>>;
}

/** What a bound builder takes where a declaration is silent. */
export interface BindOptions {
  /** The models of a declaration without any; none unless given. */
  readonly defaultModels?: () => readonly ModelDeclaration[];
}

/** Makes the builder class of a set of column types: the built-in ones, or those and your own. */
export function bindConfigBuilder<Columns extends ColumnSet>(
  types: Columns['types'],
  { defaultModels = () => [] }: BindOptions = {},
): ConfigBuilderClass<Columns> {
  const registry = new ColumnRegistry(types);
  class BoundConfigBuilder extends DataDesignerConfigBuilder<ColumnSet> {
    constructor(start?: BuilderStart) {
      super({ registry, defaultModels }, start);
    }

    static async fromConfig(
      given: ConfigSource,
      options?: FetchOptions,
    ): Promise<DataDesignerConfigBuilder<ColumnSet>> {
      const read = await readSource(given, options);
      const { source, origin } = read;
      const config = loadConfig(read, registry);
      const { columns, modelConfigs, toolConfigs, seedConfig, constraints, profilers, processors } = config;
      const builder = new BoundConfigBuilder({ modelConfigs, toolConfigs, source, origin });
      for (const column of columns) builder.addColumn<ColumnSet['declaration']>(column);
      for (const constraint of constraints) builder.addConstraint(constraint);
      if (seedConfig) builder.withSeedDataset(seedConfig.source, seedConfig);
      for (const processor of processors) builder.addProcessor(processor);
      for (const profiler of profilers) builder.addProfiler(profiler);
      return builder;
    }
  }
  return BoundConfigBuilder as unknown as ConfigBuilderClass<Columns>;
}

/** Everything that a source declares, if it can be loaded: whether its references hold is asked by `build`. */
function loadConfig({ document, source }: SourceDocument, registry: ColumnRegistry): DatasetConfig {
  const parsed = parseDataset(document, registry);
  refuseAll(
    source,
    checkDataset(parsed, { registry }).filter(({ stage }) => stage === 'load'),
  );
  return parsed.config;
}
