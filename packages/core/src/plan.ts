import type { ArrowField } from './arrow-type.ts';
import type { FunctionHandle } from './cell.ts';
import type {
  ColumnConfig,
  Constraint,
  GenerationType,
  Requirements,
  RowRange,
  ServerUse,
  TemplateEngine,
  WrittenChat,
} from './column-type.ts';
import type { CallLimits, PaidTokens } from './gateway.ts';
import type { ToolSchema } from './message.ts';
import type { ProcessorConfig, ProcessorStage } from './processor-type.ts';
import type { SelectRules } from './select-rules.ts';

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
  readonly requires: Requirements;
  /** The fields that hold whole conversations; none if absent. */
  readonly chats?: readonly WrittenChat[];
  /** The environments that its cells change; the last of `writes` is then their state. None if absent. */
  readonly environments?: readonly string[];
  /** Whether its cells are made for all rows of a row group together; false if absent. */
  readonly isGrouped?: true;
}

/** A limited resource: a model at a provider, a tool provider, functions that do their own I/O, a column's server, or rows that hold something. */
export interface Resource {
  readonly id: string;
  readonly kind: 'model' | 'tools' | 'programs' | 'functions' | 'server' | 'rows';
  readonly provider: string;
  /** The provider whose server each row has for itself; absent where rows share one. */
  readonly rowServer?: string;
  /** The prefix of the tools of its row servers, in place of that of their provider. */
  readonly toolPrefix?: string;
  /** How to call a server; absent for other kinds. */
  readonly server?: ServerUse;
  /** The maximum number of parallel requests; the resources of a pool share the largest of their limits. */
  readonly limit: number;
  /** The rates of a model; absent without one. */
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Groups the resources of the same machines: one model at one provider, for every generation type. */
  readonly pool: string;
}

/** The prices of a model, in the user's currency: per million tokens, or per image. */
export interface Pricing {
  readonly input: number;
  readonly output: number;
  /** The price of input that the provider had cached; `input` if null. */
  readonly cachedInput: number | null;
  readonly image: number | null;
}

/** A model alias as a conversation uses it; only the gateway knows its endpoint. */
export interface PlannedModel extends CallLimits {
  readonly alias: string;
  readonly resource: string;
  readonly model: string;
  readonly generationType: GenerationType;
  /** The protocol of its provider, by its `provider_type`. */
  readonly protocol: string;
  /** The name of its provider's request rules; those of its protocol if absent. */
  readonly requestRules?: string;
  /** Whether its provider refuses fields of answers that it has written itself; false if absent. */
  readonly takesKnownFieldsOnly?: true;
  /** Whether the endpoint enforces JSON Schemas; null until it was probed. */
  readonly structuredOutput: boolean | null;
  /** Null if unknown. */
  readonly pricing: Pricing | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Parameters drawn for each request, by their names in the protocol. */
  readonly drawn: Readonly<Record<string, DrawnParameter>>;
}

/** A drawn number: uniform in [low, high), or one of several values, with the cumulative upper bounds of their weights. */
export type DrawnParameter =
  | { readonly low: number; readonly high: number }
  | { readonly values: readonly number[]; readonly bounds: readonly number[] };

/** A model that summarises the judge columns of a dataset at the end of a run. */
export interface PlannedProfiler {
  readonly model: PlannedModel;
  readonly resource: Resource;
  /** The number of judgements per score in its prompt; null for no summary. */
  readonly sampleSize: number | null;
}

/** A tool alias as a conversation uses it. */
export interface PlannedTools {
  readonly alias: string;
  readonly providers: readonly string[];
  readonly allowTools: readonly string[] | null;
  readonly maxToolCallTurns: number;
  readonly timeoutMs: number;
  /** The time limit of a whole call if reports of its progress extend `timeoutMs`; absent if they do not. */
  readonly deadlineMs?: number;
  /** The maximum number of characters of a result that the model sees; the default if absent. */
  readonly maxResultChars?: number;
  /** Structured content beside text: in place of it or after it; the text alone if absent. */
  readonly structured?: 'prefer' | 'append';
  /** What follows a call that the tool did not answer or answered with an error; `continue` if absent. */
  readonly onToolFailure?: 'continue' | 'fail_cell' | 'abort';
  /** Whether a cluster calls the tools from one machine only; false if absent. */
  readonly singleMachine?: boolean;
}

/** A processor: a step between the rows and the files. */
export interface PlannedProcessor {
  readonly config: ProcessorConfig;
  readonly stage: ProcessorStage;
  /** Its side table; null if it writes none. */
  readonly sideTable: {
    readonly fields: readonly ArrowField[];
    /** The columns that its rows read. */
    readonly reads: readonly string[];
  } | null;
  /** The function that transforms rows; null if it leaves the main table unchanged. */
  readonly process: FunctionHandle | null;
}

/** Which rows a dataset accepts; the rows of its segments are those to accept, from as many candidates as that takes. */
export interface PlannedSelect extends SelectRules {
  /** The column that decides whether a row is worth completing; null where every row is. */
  readonly where: string | null;
  /** Null for a multiple of the requested rows. */
  readonly maxCandidates: number | null;
  readonly onExhausted: 'fail' | 'keep';
  readonly keepRejected: boolean;
  readonly keepCandidates: boolean;
}

/** A world that belongs to one row. */
export interface PlannedEnvironment {
  readonly name: string;
  readonly kind: string;
  /** Its declaration, with handles in place of functions. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The aliases of the models that its worlds ask for JSON; none if absent. */
  readonly models?: readonly string[];
}

/** Columns that are made several times for the same row. */
export interface PlannedAttempts {
  readonly name: string;
  /** The columns of an attempt, in dependency order, with the one that decides it. */
  readonly columns: readonly string[];
  /** The column with the decision or the score of an attempt; null where all are kept. */
  readonly decision: string | null;
  readonly keep: 'first' | 'all' | 'best' | 'pair';
  readonly max: number;
  readonly onExhausted: 'drop_row' | 'keep_last' | 'null';
  /** What the block writes beside its columns. */
  readonly writes: readonly ArrowField[];
}

/** The table of the seed rows. */
export const SEED_TABLE = 'seed';

/** A column with complete conversations, and the tools that its model received. */
export interface ChatColumn {
  readonly name: string;
  /** The field of the messages. */
  readonly trace: string;
  readonly tools: readonly ToolSchema[];
  /** Whether invalid answers and their corrections are among the messages. */
  readonly hasCorrections: boolean;
  /** The column of the messages before those of the trace. */
  readonly history?: string | undefined;
}

/** An input table in the order of the run: row k of the run uses row k of the table, starting over after the last row. */
export interface PlannedTable {
  readonly id: string;
  readonly fields: readonly ArrowField[];
  /** The conversations that a dataset, whose rows these are, has in them; absent without any. */
  readonly chats?: readonly ChatColumn[];
}

/** Consecutive row groups of one size; extending a dataset adds a segment. */
export interface Segment extends RowRange {
  readonly groupSize: number;
}

/** A range of rows that one worker generates and commits together. */
export interface RowGroup extends RowRange {
  readonly index: number;
}

/** Everything known before the first request, as plain data: it crosses threads as JSON, prints, and is tested as a value. */
export interface Plan {
  /** The version of this form. */
  readonly version: 1;
  /** The fingerprint of the declaration. */
  readonly fingerprint: string;
  /** What a continued run must have in common: the used part of the declaration, with floats to 12 digits. */
  readonly identity: string;
  /** The same without processors that run on finished rows: a dataset without rows may be continued with others. */
  readonly cellIdentity?: string;
  /** The run seed: an integer from 0 to 2^53 - 1. */
  readonly seed: number;
  /** In dependency order. */
  readonly columns: readonly PlannedColumn[];
  /** The written table. */
  readonly fields: readonly ArrowField[];
  /** The dropped columns, stored in a table of their own; null if they are not stored. */
  readonly dropped: readonly ArrowField[] | null;
  /** The processors, in order. */
  readonly processors: readonly PlannedProcessor[];
  /** The models, by alias. */
  readonly models: Readonly<Record<string, PlannedModel>>;
  /** The sets of tools, by alias. */
  readonly tools: Readonly<Record<string, PlannedTools>>;
  /** The models, tool providers and servers with a limit of parallel calls. */
  readonly resources: readonly Resource[];
  /** The seed tables. */
  readonly tables: readonly PlannedTable[];
  /** The constraints of sampler columns. */
  readonly constraints: readonly Constraint[];
  /** The rows and the sizes of their row groups. */
  readonly segments: readonly Segment[];
  /** The environments that columns use; none if absent. */
  readonly environments?: readonly PlannedEnvironment[];
  /** The blocks of columns that are made several times; none if absent. */
  readonly attempts?: readonly PlannedAttempts[];
  /** Which rows are accepted; all if absent. */
  readonly select?: PlannedSelect;
  /** The boolean column that must be true: otherwise the row ends before its further cells are made; none if absent. */
  readonly gate?: string;
  /** The template engine. */
  readonly templates: TemplateEngine;
  /** The addresses of the plug-in modules; none if absent. */
  readonly plugins?: readonly string[];
  /** Maximum number of restarts of a conversation. */
  readonly maxConversationRestarts: number;
  /** Maximum number of corrections in a conversation. */
  readonly maxConversationCorrectionSteps: number;
  /** The profilers; none if absent. */
  readonly profilers?: readonly PlannedProfiler[];
  /** Whose types the files have; those of this project if absent. */
  readonly layout?: 'python';
  /** The budget: once answers have cost this much, no more requests are sent; null for none. */
  readonly maxCost: number | null;
}

/** All models of a plan by alias, those of profilers included. */
export function modelsOf({ models, profilers = [] }: Pick<Plan, 'models' | 'profilers'>): Plan['models'] {
  return { ...Object.fromEntries(profilers.map(({ model }) => [model.alias, model])), ...models };
}

/** The number of rows of all segments, row groups or reasons of a loss. */
export function rowsIn(parts: readonly { readonly rows: number }[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}

/** The row groups of a plan, in order. */
export function* rowGroups(plan: Pick<Plan, 'segments'>): Generator<RowGroup> {
  let index = 0;
  for (const { firstRow, rows, groupSize } of plan.segments) {
    for (let row = firstRow; row < firstRow + rows; row += groupSize) {
      yield { index: index++, firstRow: row, rows: Math.min(groupSize, firstRow + rows - row) };
    }
  }
}

const PER_MILLION = 1_000_000;

/** The cost of tokens, in the currency of the prices. */
export function costOfTokens({ input, cachedInput, output }: PaidTokens, pricing: Pricing): number {
  const uncached = input - cachedInput;
  const sum = uncached * pricing.input + cachedInput * (pricing.cachedInput ?? pricing.input) + output * pricing.output;
  return sum / PER_MILLION;
}
