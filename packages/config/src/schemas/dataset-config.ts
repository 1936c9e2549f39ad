import type { ColumnConfig } from '@data-designer/core';
import { z } from 'zod';
import type { RegisteredProcessor } from '../define-processor.ts';
import type { RegisteredSeed } from '../define-seed.ts';
import { processor, type Processor, processorWith } from '../processors/processor-types.ts';
import { constraint, type Constraint } from './constraint.ts';
import { modelConfig, type ModelConfig } from './model-config.ts';
import { profiler, type Profiler } from './profiler.ts';
import { seedConfig, type SeedConfig, seedConfigWith } from './seed-config.ts';
import { toolConfig, type ToolConfig } from './tool-config.ts';

/** The schema of a dataset with built-in types; columns are parsed one by one, each by the schema of its type. */
export const datasetShell = z.strictObject({
  columns: z.array(z.unknown()).describe('The columns, in any order.'),
  modelConfigs: z
    .array(modelConfig)
    .nullable()
    .default(null)
    .describe("The models that columns name; none means the models of the user's home folder."),
  toolConfigs: z.array(toolConfig).nullable().default(null).describe('The tools that columns name.'),
  seedConfig: seedConfig.nullable().default(null).describe('Rows that the dataset starts from.'),
  constraints: z.array(constraint).nullable().default(null).describe('What the values of sampler columns keep to.'),
  profilers: z.array(profiler).nullable().default(null).describe('What is summarised with a model at the end.'),
  processors: z.array(processor).nullable().default(null).describe('Steps between the rows and the files, in order.'),
});

/** The schema of a dataset with the processors and seeds of plug-ins. */
export function datasetShellWith({
  processors,
  seeds,
}: {
  readonly processors: readonly RegisteredProcessor[];
  readonly seeds: readonly RegisteredSeed[];
}): typeof datasetShell {
  if (processors.length === 0 && seeds.length === 0) return datasetShell;
  const { shape } = datasetShell;
  const steps = z.array(processorWith(processors)).nullable().default(null);
  const seed = seedConfigWith(seeds).nullable().default(null);
  return z.strictObject({
    ...shape,
    processors: steps.describe(shape.processors.description ?? ''),
    seedConfig: seed.describe(shape.seedConfig.description ?? ''),
  });
}

/** The wrapped form that files usually have. */
export const wrappedShell = z.strictObject({
  dataDesigner: z.unknown(),
  libraryVersion: z.string().nullable().default(null).describe('The version that wrote the file.'),
});

/** A parsed declaration. */
export interface DatasetConfig {
  readonly columns: readonly ColumnConfig[];
  readonly modelConfigs: readonly ModelConfig[];
  readonly toolConfigs: readonly ToolConfig[];
  readonly seedConfig: SeedConfig | null;
  readonly constraints: readonly Constraint[];
  readonly profilers: readonly Profiler[];
  readonly processors: readonly Processor[];
}
