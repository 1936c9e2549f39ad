import type { z } from 'zod';
import {
  type ColumnConfig,
  type ColumnType,
  DataDesignerError,
  field,
  type ProcessorConfig,
  type ProcessorStage,
  type ProcessorType,
} from '@data-designer/core';
import type { ColumnSchema, RegisteredColumn } from './define-column.ts';
import type { RegisteredProcessor } from './define-processor.ts';
import type { RegisteredSeed } from './define-seed.ts';
import { dropListOf } from './processors/drop-columns.ts';
import { processorTypes } from './processors/processor-types.ts';
import { datasetShellWith } from './schemas/dataset-config.ts';
import { pluginKind } from './seed/plugin-seed.ts';
import { type SeedKind, seedTypeOf } from './seed/seed-kind.ts';
import { seedKinds, type SeedSource } from './seed/seed-kinds.ts';

/** The processors and seeds that plug-ins add. */
export interface FurtherTypes {
  readonly processors?: readonly RegisteredProcessor[];
  readonly seeds?: readonly RegisteredSeed[];
}

/** A processor type that adds and drops what `columns_added` and `columns_removed` list, too. */
function withListedColumns(type: RegisteredProcessor): RegisteredProcessor {
  const { adds, drops } = type;
  return {
    ...type,
    adds: (config: ListedColumns) => [
      ...(adds?.(config as never) ?? []),
      ...(config.columnsAdded ?? []).map((name) => field(name, 'utf8', { json: true })),
    ],
    drops: (config: ListedColumns, column: string) =>
      drops?.(config as never, column) === true || dropListOf(config.columnsRemoved ?? NONE)(column),
  };
}

/** The columns that a processor lists; none if its schema has not the keys. */
interface ListedColumns {
  readonly columnsAdded?: readonly string[];
  readonly columnsRemoved?: readonly string[];
}

const NONE: readonly string[] = [];

/** A column type whose functions take any parsed column. */
export type ColumnTypeOfAny = ColumnType<ColumnConfig, ColumnSchema>;

/** The types that a configuration may use, built-in ones included: columns, processors and seeds. */
export class ColumnRegistry {
  /** The schema of a dataset with these processors and seeds. */
  readonly shell: ReturnType<typeof datasetShellWith>;
  readonly #types: ReadonlyMap<string, RegisteredColumn>;
  readonly #processors: ReadonlyMap<string, RegisteredProcessor>;
  readonly #seeds: ReadonlyMap<string, RegisteredSeed>;
  readonly #seedKinds: ReadonlyMap<string, unknown>;

  constructor(types: readonly RegisteredColumn[], { processors = [], seeds = [] }: FurtherTypes = {}) {
    this.#types = new Map(types.map((type) => [type.type, type]));
    const further = processors.map(withListedColumns);
    this.#processors = new Map([...processorTypes, ...further].map((type) => [type.type, type]));
    this.#seeds = new Map(seeds.map((type) => [type.type, type]));
    const kinds = [...seedKinds, ...seeds.map(pluginKind)];
    this.#seedKinds = new Map(kinds.map((kind) => [seedTypeOf(kind.schema), kind]));
    this.shell = datasetShellWith({ processors, seeds });
  }

  get types(): readonly RegisteredColumn[] {
    return [...this.#types.values()];
  }

  get names(): readonly string[] {
    return [...this.#types.keys()];
  }

  /** A column type by its name; its functions take any column, so pass only one that its schema parsed. */
  get(type: string): ColumnTypeOfAny | undefined {
    return this.#types.get(type) as ColumnTypeOfAny | undefined;
  }

  /** The type of a parsed processor; its functions take any processor, so pass only the parsed one. */
  processorOf({ processorType }: ProcessorConfig): ProcessorType<ProcessorConfig, z.ZodObject> {
    const type = this.#processors.get(processorType) as ProcessorType<ProcessorConfig, z.ZodObject> | undefined;
    if (!type) throw new DataDesignerError('internal/unexpected', { reason: `no processor type '${processorType}'` });
    return type;
  }

  /** When a parsed processor runs. */
  stageOf(processor: ProcessorConfig): ProcessorStage {
    const { stage } = this.processorOf(processor);
    return typeof stage === 'function' ? stage(processor) : stage;
  }

  /** The kind of a parsed seed source. */
  seedKindOf({ seedType }: { readonly seedType: string }): SeedKind<SeedSource> {
    const kind = this.#seedKinds.get(seedType);
    if (!kind) throw new DataDesignerError('internal/unexpected', { reason: `no seed type '${seedType}'` });
    return kind as SeedKind<SeedSource>;
  }

  /** The seed type of a plug-in's source; undefined for built-in ones. */
  seedOf({ seedType }: { readonly seedType: string }): RegisteredSeed | undefined {
    return this.#seeds.get(seedType);
  }
}
