import type { DatasetConfig, RunConfig, WrittenDataset } from '@data-designer/config';
import type { Plan, Violation } from '@data-designer/core';
import type { TableSource } from '@data-designer/seeds';
import type { CreateOptions, StopOptions } from '../data-designer-options.ts';
import type { Declared } from '../declaration/declaration.ts';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';

/** Where a stage is made, and what it may still spend. */
export interface StagePlace {
  readonly artifactPath: string;
  /** The rest of the workflow's budget; null for none. */
  readonly maxCost: number | null;
  /** The folders of the stages before it, whose images its cells may name. */
  readonly mediaRoots: readonly string[];
}

/** A compiled stage. */
export interface CompiledStage {
  readonly plan: Plan;
  readonly config: DatasetConfig;
  /** The models and tool configs as they are declared. */
  readonly aliases: { readonly modelConfigs: readonly unknown[]; readonly toolConfigs: readonly unknown[] };
  readonly tables: readonly TableSource[];
}

/** How a stage is compiled. */
interface CompileStageOptions {
  readonly rows: number;
  readonly signals: Required<StopOptions>;
  /** Called with each warning; none is reported by default, as the run of the stage reports them. */
  readonly onWarning?: (warning: Violation) => void;
}

/** What a workflow uses of a `DataDesigner`. */
export interface StageMaker {
  readonly artifactPath: string;
  readonly settings: () => RunConfig;
  readonly compile: (declared: Declared, options: CompileStageOptions) => Promise<CompiledStage>;
  readonly create: (
    declared: Declared,
    options: CreateOptions & { readonly place: StagePlace },
  ) => Promise<DatasetCreationResults>;
  readonly load: (path: string) => Promise<DatasetCreationResults>;
  /** The config in file form. */
  readonly written: (config: DatasetConfig) => Promise<WrittenDataset>;
}
