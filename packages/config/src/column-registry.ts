import { DataDesignerError, type ProcessorConfig } from '@data-designer/core';
import type { RegisteredColumn } from './define-column.ts';
import type { RegisteredProcessor } from './define-processor.ts';
import type { RegisteredSeed } from './define-seed.ts';
import { processorTypes } from './processors/processor-types.ts';
import { datasetShellWith } from './schemas/dataset-config.ts';

/** What a configuration may use beside columns, on top of what is built in. */
export interface FurtherTypes {
  readonly processors?: readonly RegisteredProcessor[];
  readonly seeds?: readonly RegisteredSeed[];
}

/** The types a configuration may use: columns by their `column_type`, and processors and seeds, built-in ones included. */
export class ColumnRegistry {
  /** A dataset's declaration, with the processors and the seed sources that there are. */
  readonly shell: ReturnType<typeof datasetShellWith>;
  readonly #types: ReadonlyMap<string, RegisteredColumn>;
  readonly #processors: ReadonlyMap<string, RegisteredProcessor>;
  readonly #seeds: ReadonlyMap<string, RegisteredSeed>;

  constructor(types: readonly RegisteredColumn[], { processors = [], seeds = [] }: FurtherTypes = {}) {
    this.#types = new Map(types.map((type) => [type.type, type]));
    this.#processors = new Map([...processorTypes, ...processors].map((type) => [type.type, type]));
    this.#seeds = new Map(seeds.map((type) => [type.type, type]));
    this.shell = datasetShellWith({ processors, seeds });
  }

  get types(): readonly RegisteredColumn[] {
    return [...this.#types.values()];
  }

  get names(): readonly string[] {
    return [...this.#types.keys()];
  }

  get(type: string): RegisteredColumn | undefined {
    return this.#types.get(type);
  }

  /** The type of a parsed processor, its functions taking any config: the schema has already said that it fits. */
  processorOf({ processorType }: ProcessorConfig): RegisteredProcessor {
    const type = this.#processors.get(processorType);
    if (!type) throw new DataDesignerError('internal/unexpected', { reason: `no processor type '${processorType}'` });
    return type;
  }

  /** The type of a parsed seed source, where it is a plug-in's; undefined for those that are built in. */
  seedOf({ seedType }: { readonly seedType: string }): RegisteredSeed | undefined {
    return this.#seeds.get(seedType);
  }
}
