import type { ColumnConfig, Violation } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import type { Processor } from './processors/processor-types.ts';
import type { DatasetConfig } from './schemas/dataset-config.ts';
import type { ModelConfig } from './schemas/model-config.ts';

type PathPrinter = (...path: readonly PropertyKey[]) => string;

/** A declaration in which every name is unique, and warnings about repeated names. */
export interface SettledDataset {
  readonly config: DatasetConfig;
  /** A warning for each declaration that a later one replaced; `indexOf` gives a column's position in the document. */
  readonly repeated: (pathOf: PathPrinter, indexOf: (position: number) => number) => Violation[];
}

/** Settles replaced columns and processors, drop marks and default models as the Python tool's builder does. */
export function settleDataset(
  columns: readonly ColumnConfig[],
  parts: Omit<DatasetConfig, 'columns'> & {
    readonly defaultModels: readonly ModelConfig[];
    readonly registry: ColumnRegistry;
  },
): SettledDataset {
  const { defaultModels, registry, ...shell } = parts;
  // The recorded config of a run declares the seed columns too; the seed provides them again.
  const ofSeed = ({ columnType }: ColumnConfig) => shell.seedConfig !== null && registry.get(columnType)?.ofSeed;
  const lastOf = new Map(shell.processors.map((processor) => [processor.name, processor]));
  const processors = shell.processors.filter((processor) => lastOf.get(processor.name) === processor);
  const byName = new Map(columns.filter((column) => !ofSeed(column)).map((column) => [column.name, column]));
  const config = {
    ...shell,
    columns: [...byName.values()].map((column) => withDrop(column, shell.processors, registry)),
    processors,
    modelConfigs: shell.modelConfigs.length === 0 ? defaultModels : shell.modelConfigs,
  };
  const repeated = (pathOf: PathPrinter, indexOf: (position: number) => number): Violation[] => [
    ...repeats(columns, 'name', (position) => pathOf('columns', indexOf(position), 'name')),
    ...repeats(shell.processors, 'name', (position) => pathOf('processors', position, 'name')),
    ...repeats(shell.modelConfigs, 'alias', (position) => pathOf('modelConfigs', position, 'alias')),
    ...repeats(shell.toolConfigs, 'toolAlias', (position) => pathOf('toolConfigs', position, 'toolAlias')),
  ];
  return { config, repeated };
}

/** The column's drop mark after adding all processors in order; replacing a processor clears the marks it set. */
function withDrop(column: ColumnConfig, processors: readonly Processor[], registry: ColumnRegistry): ColumnConfig {
  const drops = (one: Processor) => registry.processorOf(one).drops?.(one, column.name) ?? false;
  let { drop } = column;
  const standing = new Map<string, Processor>();
  for (const processor of processors) {
    const replaced = standing.get(processor.name);
    standing.delete(processor.name);
    if (replaced && drops(replaced) && ![...standing.values()].some((one) => drops(one))) drop = false;
    standing.set(processor.name, processor);
    drop ||= drops(processor);
  }
  return drop === column.drop ? column : { ...column, drop };
}

function repeats<Item>(items: readonly Item[], key: keyof Item, path: (position: number) => string): Violation[] {
  const firsts = new Map<unknown, number>();
  return items.flatMap((item, position): Violation[] => {
    const first = firsts.get(item[key]);
    if (first === undefined) {
      firsts.set(item[key], position);
      return [];
    }
    const message = `'${String(item[key])}' is declared twice; this declaration replaces the one at ${path(first)}.`;
    const remedy = 'Rename or remove one of them.';
    return [{ stage: 'run', type: 'duplicate_name', level: 'WARNING', path: path(position), message, remedy }];
  });
}
