import { checkDataset } from '../check-dataset.ts';
import { ColumnRegistry } from '../column-registry.ts';
import { parseDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import { namedProviders } from './build-config.ts';
import type { ColumnSet } from './column-set.ts';
import { type BuilderStart, DataDesignerConfigBuilder } from './config-builder.ts';
import { type ConfigSource, readSource } from './read-source.ts';
import { refuseAll } from './refuse.ts';

/** A builder class that knows its column types. */
export interface ConfigBuilderClass<Columns extends ColumnSet> {
  new (start?: BuilderStart): DataDesignerConfigBuilder<Columns>;
  /**
   * A builder with everything that a file, a text or a mapping declares, in either spelling; its rows are not typed.
   * Throws `config/unreadable`, or `config/invalid` with every mistake that shows on loading.
   */
  fromConfig(source: ConfigSource): DataDesignerConfigBuilder<Columns, Record<string, unknown>>;
}

/** Makes the builder class of a set of column types: the built-in ones, or those and your own. */
export function bindConfigBuilder<Columns extends ColumnSet>(types: Columns['types']): ConfigBuilderClass<Columns> {
  const registry = new ColumnRegistry(types);
  class BoundConfigBuilder extends DataDesignerConfigBuilder<ColumnSet> {
    constructor(start?: BuilderStart) {
      super(registry, start);
    }

    static fromConfig(given: ConfigSource): DataDesignerConfigBuilder<ColumnSet> {
      const { config, source } = loadConfig(given, registry);
      const { columns, modelConfigs, toolConfigs } = config;
      const builder = new BoundConfigBuilder({ modelConfigs, toolConfigs, source });
      for (const column of columns) builder.addColumn<ColumnSet['declaration']>(column);
      return builder;
    }
  }
  return BoundConfigBuilder as unknown as ConfigBuilderClass<Columns>;
}

/** Everything that a source declares, if it can be loaded: whether its references hold is asked by `build`. */
function loadConfig(given: ConfigSource, registry: ColumnRegistry): { config: DatasetConfig; source: string } {
  const { document, source } = readSource(given);
  const parsed = parseDataset(document, registry);
  refuseAll(source, parsed.violations);
  const found = checkDataset(parsed, registry, namedProviders(parsed));
  refuseAll(
    source,
    found.filter(({ stage }) => stage === 'load'),
  );
  return { config: parsed.config, source };
}
