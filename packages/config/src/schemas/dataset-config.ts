import type { ColumnConfig } from '@data-designer/core';
import { z } from 'zod';
import type { RegisteredProcessor } from '../define-processor.ts';
import type { RegisteredSeed } from '../define-seed.ts';
import { processor, type Processor, processorWith } from '../processors/processor-types.ts';
import { attemptsConfig, type AttemptsConfig } from './attempts-config.ts';
import { constraint, type Constraint } from './constraint.ts';
import { type Environment, environmentConfig } from './environment-config.ts';
import { modelConfig, type ModelConfig } from './model-config.ts';
import { profiler, type Profiler } from './profiler.ts';
import { seedConfig, type SeedConfig, seedConfigWith } from './seed-config.ts';
import { selectConfig, type SelectConfig } from './select-config.ts';
import { toolConfig, type ToolConfig } from './tool-config.ts';

/** The schema of a dataset with built-in types; columns are parsed one by one, each by the schema of its type. */
export const datasetShell = z.strictObject({
  columns: z.array(z.unknown()).describe('The columns of the dataset, in any order.'),
  modelConfigs: z
    .array(modelConfig)
    .nullable()
    .default(null)
    .describe('The models that columns name by alias; null or an empty list for the models of the home folder.'),
  toolConfigs: z.array(toolConfig).nullable().default(null).describe('The sets of tools that columns name by alias.'),
  seedConfig: seedConfig.nullable().default(null).describe('Existing rows that the dataset starts from.'),
  constraints: z
    .array(constraint)
    .nullable()
    .default(null)
    .describe('Inequalities that the values of sampler columns must satisfy.'),
  profilers: z
    .array(profiler)
    .nullable()
    .default(null)
    .describe('Models that summarise the judge columns in the report.'),
  processors: z
    .array(processor)
    .nullable()
    .default(null)
    .describe('Steps between the generated rows and the files of the dataset, in order.'),
  environments: z
    .array(environmentConfig)
    .nullable()
    .optional()
    .describe(
      'Environments: state that belongs to one row, with tools that change it. Tool configs name an environment in their providers.',
    ),
  attempts: z
    .array(attemptsConfig)
    .nullable()
    .optional()
    .describe('Blocks of columns that are made several times for the same row.'),
  select: selectConfig.nullable().optional(),
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
  libraryVersion: z.string().nullable().default(null).describe('The version of Data Designer that wrote the file.'),
});

/** A parsed declaration. */
export interface DatasetConfig {
  /** The columns, in the order of declaration. */
  readonly columns: readonly ColumnConfig[];
  /** The models. */
  readonly modelConfigs: readonly ModelConfig[];
  /** The tool configs. */
  readonly toolConfigs: readonly ToolConfig[];
  /** The seed; null without one. */
  readonly seedConfig: SeedConfig | null;
  /** The constraints. */
  readonly constraints: readonly Constraint[];
  /** The profilers. */
  readonly profilers: readonly Profiler[];
  /** The processors, in order. */
  readonly processors: readonly Processor[];
  /** The environments; absent without any. */
  readonly environments?: readonly Environment[];
  /** The blocks of attempts; absent without any. */
  readonly attempts?: readonly AttemptsConfig[];
  /** The selection; absent without one. */
  readonly select?: SelectConfig;
}
