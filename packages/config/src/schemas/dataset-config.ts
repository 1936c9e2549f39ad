import type { ColumnConfig } from '@data-designer/core';
import { z } from 'zod';
import { modelConfig, type ModelConfig } from './model-config.ts';
import { toolConfig, type ToolConfig } from './tool-config.ts';

const later = (what: string) =>
  z
    .null({ error: `${what} cannot be used yet` })
    .default(null)
    .describe(`${what}; not supported yet.`);

/** A dataset's declaration; its columns are parsed one by one, each by the schema of its type. */
export const datasetShell = z.strictObject({
  columns: z.array(z.unknown()).min(1).describe('The columns, in any order.'),
  modelConfigs: z.array(modelConfig).nullable().default(null).describe('The models that columns name.'),
  toolConfigs: z.array(toolConfig).nullable().default(null).describe('The tools that columns name.'),
  seedConfig: later('Seed datasets'),
  constraints: later('Sampler constraints'),
  profilers: later('Profilers'),
  processors: later('Processors'),
});

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
}
