import type { AttemptForecast } from './attempt-forecast.ts';
import type { SelectionForecast } from './forecast-selection.ts';
import type { RunSummary } from '@data-designer/engine';

/** The requests, tokens and cost of a model in the real run. */
export interface ModelForecast {
  /** The alias of the model. */
  readonly alias: string;
  /** The name of the model at its provider. */
  readonly model: string;
  /** The name of the provider. */
  readonly provider: string;
  /** Requests to the model. */
  readonly requests: number;
  /** Tokens of all prompts. */
  readonly inputTokens: number;
  /** Of these, tokens that repeat the request before in a conversation, which providers may have cached. */
  readonly cachedInputTokens: number;
  /** Tokens of all answers. */
  readonly outputTokens: number;
  /** Generated images. */
  readonly pictures: number;
  /** The cost of the answers in the currency of the prices; null without a price. */
  readonly cost: number | null;
}

/** A lower bound of a run's wall time, in milliseconds for all rows. */
export interface WallBound {
  /**
   * The reason for the bound: `model`, the requests to a model divided by its parallel requests; `rate`, its requests or
   * tokens per minute; `chain`, the longest chain of dependent answers in a row; `machine`, the work of this machine.
   */
  readonly kind: 'model' | 'rate' | 'chain' | 'machine';
  /** The name of the bound; of a model `provider/model`. */
  readonly name: string;
  /** The bound in milliseconds. */
  readonly ms: number;
  /** The `max_parallel_requests` of the model; null for other bounds. */
  readonly places: number | null;
}

/** The estimated wall time of the real run. */
export interface WallForecast {
  /** The estimate in milliseconds: the largest bound plus the overhead. */
  readonly ms: number;
  /** Milliseconds for the start, the end, and the waits between retries beyond the largest bound. */
  readonly overheadMs: number;
  /** The bounds, the largest first; the first one is the bottleneck. */
  readonly bounds: readonly WallBound[];
  /** Milliseconds if the bottleneck had twice as many parallel requests; null if it is not a model. */
  readonly doubledMs: number | null;
}

/** The estimate of the real run. */
export interface Rehearsal {
  /** What the numbers of rows count: rows, or the candidates of a selection, of which it accepts a share. */
  readonly counts: 'rows' | 'candidates';
  /** Rows requested in the real run, or candidates. */
  readonly rows: number;
  /** Rows of the real run that would be made, or candidates; the others would be lost. */
  readonly rowsMade: number;
  /** The sample: rows requested and made, its wall time in milliseconds, and why rows were lost. */
  readonly sample: {
    readonly rows: number;
    readonly rowsMade: number;
    readonly wallMs: number;
    readonly lost: RunSummary['lost'];
  };
  /** How many candidates `select.where` accepts; absent without it, and in a workflow. */
  readonly selected?: SelectionForecast | undefined;
  /** The forecast for each model. */
  readonly models: readonly ModelForecast[];
  /** The attempts at rows, by block; absent without a block. */
  readonly attempts?: Readonly<Record<string, AttemptForecast>>;
  /** Requests to all models. */
  readonly requests: number;
  /** Prompt tokens of all models. */
  readonly inputTokens: number;
  /** Of these, tokens that repeat the request before in a conversation. */
  readonly cachedInputTokens: number;
  /** Answer tokens of all models. */
  readonly outputTokens: number;
  /** The cost of all answers in the currency of the prices; null if a model has no price. */
  readonly cost: number | null;
  /** The estimated wall time. */
  readonly wall: WallForecast;
  /** The assumptions behind the figures, as sentences. */
  readonly assumptions: readonly string[];
}
