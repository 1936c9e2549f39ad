import type { ArrowField } from './arrow-type.ts';
import type { FunctionHandle } from './cell.ts';
import type { CallLimits } from './gateway.ts';
import type {
  ColumnConfig,
  Constraint,
  GenerationType,
  RowRange,
  ServerUse,
  Spending,
  TemplateEngine,
} from './column-type.ts';
import type { ProcessorConfig, ProcessorStage } from './processor-type.ts';

/** One column of a plan. */
export interface PlannedColumn {
  readonly name: string;
  readonly config: ColumnConfig;
  /** Columns that must be made first; side effects are resolved to their column. */
  readonly needs: readonly string[];
  /** The columns that its cells read; with `propagateSkip` a skipped one skips this column too. */
  readonly reads: readonly string[];
  /** The columns that its skip rule reads. */
  readonly skipReads: readonly string[];
  readonly writes: readonly ArrowField[];
  readonly requires: Spending;
}

/**
 * Something outside with a limit of its own: a model at a provider, a tool provider, functions that reach out themselves,
 * or a server that a column asks.
 */
export interface Resource {
  readonly id: string;
  readonly kind: 'model' | 'tools' | 'functions' | 'server';
  readonly provider: string;
  /** How a server is asked; one that has none is not. */
  readonly server?: ServerUse;
  /** Requests at a time, at most; all resources of a pool together have as many as the largest of its limits. */
  readonly limit: number;
  /** What is served by the same machines: a model at a provider, whatever it is asked for. */
  readonly pool: string;
}

/** What a model costs, in a currency of the user's, per million tokens; per piece for pictures. */
export interface Pricing {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had from an earlier request; `input` where null. */
  readonly cachedInput: number | null;
  readonly image: number | null;
}

/** A model alias as the conversation needs it; how to reach it is the gateway's business. */
export interface PlannedModel extends CallLimits {
  readonly alias: string;
  readonly resource: string;
  readonly model: string;
  readonly generationType: GenerationType;
  /** The protocol of its provider, by its `provider_type`. */
  readonly protocol: string;
  /** Whether it is held to JSON Schemas by the endpoint itself; null until the endpoint was asked. */
  readonly structuredOutput: boolean | null;
  /** Null if unknown. */
  readonly pricing: Pricing | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Parameters that every request draws anew, by their names in the protocol. */
  readonly drawn: Readonly<Record<string, DrawnParameter>>;
}

/** A number that is drawn: anywhere in [low, high), or one of several values with the upper bounds of their shares. */
export type DrawnParameter =
  | { readonly low: number; readonly high: number }
  | { readonly values: readonly number[]; readonly bounds: readonly number[] };

/** A model that says, once rows are made, what the judges of a dataset found. */
export interface PlannedProfiler {
  readonly model: PlannedModel;
  readonly resource: Resource;
  /** Judgements of each score that it is shown; null where it is not asked. */
  readonly sampleSize: number | null;
}

/** A tool alias as the conversation needs it. */
export interface PlannedTools {
  readonly alias: string;
  readonly providers: readonly string[];
  readonly allowTools: readonly string[] | null;
  readonly maxToolCallTurns: number;
  readonly timeoutMs: number;
  /** Characters of a result that a model is shown; the usual number where absent. */
  readonly maxResultChars?: number;
}

/** A processor: a step between the rows and the files. */
export interface PlannedProcessor {
  readonly config: ProcessorConfig;
  readonly stage: ProcessorStage;
  /** Its side table; null if it writes none. The key is part of run.json. */
  readonly beside: {
    readonly fields: readonly ArrowField[];
    /** The columns that its rows read. */
    readonly reads: readonly string[];
  } | null;
  /** The function that transforms rows; null if it leaves the main table unchanged. */
  readonly process: FunctionHandle | null;
}

/** The table of the seed rows. */
export const SEED_TABLE = 'seed';

/**
 * Rows from elsewhere that stand beside a run, in its order: row k of the run takes row k of the table, and from the
 * first again after the last.
 */
export interface PlannedTable {
  readonly id: string;
  readonly fields: readonly ArrowField[];
}

/** A run of row groups of one size; a dataset that is extended later gets a further one. */
export interface Segment extends RowRange {
  readonly groupSize: number;
}

/** A unit of work, of commit and of distribution. */
export interface RowGroup extends RowRange {
  readonly index: number;
}

/** All that can be known before the first request, as plain data: it crosses threads as JSON, prints, and is tested as a value. */
export interface Plan {
  readonly version: 1;
  readonly fingerprint: string;
  /** What a continued run must have in common: the declaration, as far as it is used, with floats to 12 digits. */
  readonly identity: string;
  /** The run seed: an integer from 0 to 2^53 - 1. */
  readonly seed: number;
  /** In dependency order. */
  readonly columns: readonly PlannedColumn[];
  /** The written table. */
  readonly fields: readonly ArrowField[];
  /** The columns that are left out of it and kept beside it; null where none shall be kept. */
  readonly dropped: readonly ArrowField[] | null;
  /** The processors, in order. */
  readonly processors: readonly PlannedProcessor[];
  readonly models: Readonly<Record<string, PlannedModel>>;
  readonly tools: Readonly<Record<string, PlannedTools>>;
  readonly resources: readonly Resource[];
  readonly tables: readonly PlannedTable[];
  readonly constraints: readonly Constraint[];
  readonly segments: readonly Segment[];
  readonly templates: TemplateEngine;
  /** The modules of the plug-ins whose column types may be in use, by their addresses; none where absent. */
  readonly plugins?: readonly string[];
  readonly maxConversationRestarts: number;
  readonly maxConversationCorrectionSteps: number;
  /** What is asked of models when the dataset is profiled; absent where nothing is. */
  readonly profilers?: readonly PlannedProfiler[];
  /** The budget: no request is sent once answers have cost this much; null for none. */
  readonly maxCost: number | null;
}

/** All models of a plan by alias, also those that only a profiler asks. */
export function modelsOf({ models, profilers = [] }: Pick<Plan, 'models' | 'profilers'>): Plan['models'] {
  return { ...Object.fromEntries(profilers.map(({ model }) => [model.alias, model])), ...models };
}

/** Rows over all segments. */
export function rowsIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

/** The row groups of a plan, in order. */
export function* rowGroups(plan: Plan): Generator<RowGroup> {
  let index = 0;
  for (const { firstRow, rows, groupSize } of plan.segments) {
    for (let row = firstRow; row < firstRow + rows; row += groupSize) {
      yield { index: index++, firstRow: row, rows: Math.min(groupSize, firstRow + rows - row) };
    }
  }
}
