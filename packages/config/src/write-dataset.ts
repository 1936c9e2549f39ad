import { typeOf } from './check/column-facts.ts';
import type { ColumnRegistry } from './column-registry.ts';
import { writeForm } from './read-form.ts';
import type { DatasetConfig } from './schemas/dataset-config.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A declaration as files have it, with all fields. */
export interface WrittenDataset {
  /** The columns. */
  readonly columns: readonly Fields[];
  /** The models. */
  readonly model_configs: readonly Fields[];
  /** The tool configs. */
  readonly tool_configs: readonly Fields[];
  /** The seed; null without one. */
  readonly seed_config: Fields | null;
  /** The constraints; null without any. */
  readonly constraints: readonly Fields[] | null;
  /** The profilers; null without any. */
  readonly profilers: readonly Fields[] | null;
  /** The processors; null without any. */
  readonly processors: readonly Fields[] | null;
  /** The environments; absent without any, since the Python tool does not know the key. */
  readonly environments?: readonly Fields[];
  /** The blocks of attempts; absent without any, since the Python tool does not know the key. */
  readonly attempts?: readonly Fields[];
  /** The selection; absent without one, since the Python tool does not know the key. */
  readonly select?: Fields;
}

function orNull<Item>(list: readonly Item[]): readonly Item[] | null {
  return list.length === 0 ? null : list;
}

/** A seed without rows that only the calling program holds: it is named, and cannot be loaded again. */
function writtenSeed(seed: NonNullable<DatasetConfig['seedConfig']>, registry: ColumnRegistry): object {
  const { inMemory } = registry.seedKindOf(seed.source);
  return inMemory === undefined ? seed : { ...seed, source: without(seed.source, [inMemory]) };
}

/** A mapping without some of its keys. */
export function without(fields: object, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

/** Converts a parsed declaration to the form of files, with declared keys in snake_case. */
export function writeDataset(config: DatasetConfig, registry: ColumnRegistry): WrittenDataset {
  const shell = writeForm(registry.shell, {
    columns: [],
    modelConfigs: config.modelConfigs,
    toolConfigs: config.toolConfigs,
    seedConfig: config.seedConfig && writtenSeed(config.seedConfig, registry),
    constraints: orNull(config.constraints),
    profilers: orNull(config.profilers),
    processors: orNull(config.processors),
    ...(config.environments ? { environments: config.environments } : {}),
    ...(config.attempts ? { attempts: config.attempts } : {}),
    ...(config.select ? { select: config.select } : {}),
  });
  const columns = config.columns.map((column) => writeForm(typeOf(column, registry).schema, column));
  return { ...(shell as WrittenDataset), columns: columns as Fields[] };
}
