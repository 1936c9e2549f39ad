import type { SkipRule } from '@data-designer/core';
import type { ColumnKind } from './columns.ts';

/** The declaration, the plan and the run. */
export interface ConfigAnswer {
  /** The declaration as JSON text; null where the folder has none. */
  readonly declaration: string | null;
  readonly graph: ColumnGraph;
  readonly plan: PlanFacts;
  /** Facts of the run and its machine, by name. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The columns of a plan and which of them each one reads. */
export interface ColumnGraph {
  readonly nodes: readonly {
    readonly name: string;
    readonly kind: ColumnKind;
    readonly columnType: string;
    readonly isDropped: boolean;
    readonly modelAlias: string | null;
    readonly toolAlias: string | null;
    readonly skip: SkipRule | null;
    /** The longest way to it from a column that reads none: the column of the drawing. */
    readonly level: number;
  }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly isSkip: boolean }[];
}

/** The parts of a plan that people look for. */
export interface PlanFacts {
  readonly seed: number;
  readonly rows: number;
  readonly groups: number;
  readonly groupSize: number;
  readonly maxCost: number | null;
  readonly models: readonly {
    readonly alias: string;
    readonly model: string;
    readonly provider: string;
    readonly limit: number;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly pricing: { readonly input: number; readonly output: number } | null;
  }[];
  readonly tools: readonly {
    readonly alias: string;
    readonly providers: readonly string[];
    readonly maxTurns: number;
    readonly names: readonly string[];
  }[];
  readonly processors: readonly { readonly name: string; readonly type: string }[];
}
