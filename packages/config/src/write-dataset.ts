import type { ColumnRegistry } from './column-registry.ts';
import { typeOf } from './check-dataset.ts';
import { writeForm } from './read-form.ts';
import { datasetShell, type DatasetConfig } from './schemas/dataset-config.ts';

/** A parsed declaration in the form that files have: wrapped, its declared keys in snake_case. */
export function writeDataset(config: DatasetConfig, registry: ColumnRegistry): unknown {
  const shell = writeForm(datasetShell, {
    columns: [],
    modelConfigs: config.modelConfigs,
    toolConfigs: config.toolConfigs,
    seedConfig: null,
    constraints: null,
    profilers: null,
    processors: null,
  });
  const columns = config.columns.map((column) => writeForm(typeOf(column, registry).schema, column));
  return { data_designer: { ...(shell as object), columns } };
}
