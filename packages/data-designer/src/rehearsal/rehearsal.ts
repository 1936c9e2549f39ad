import type { RunSummary } from '@data-designer/engine';

/** The requests, tokens and cost of a model in the real run. */
export interface ModelForecast {
  readonly alias: string;
  readonly model: string;
  readonly provider: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly pictures: number;
  /** In the currency of the prices; null without one. */
  readonly cost: number | null;
}

/** A lower bound of a run's wall time, in milliseconds for all rows. */
export interface WallBound {
  /** Requests to a model over its parallel requests, the longest chain of answers in a row, or the work of this machine. */
  readonly kind: 'model' | 'chain' | 'machine';
  /** Of a model: `provider/model`. */
  readonly name: string;
  readonly ms: number;
  /** Of a model: its `max_parallel_requests`. */
  readonly places: number | null;
}

/** The estimated wall time of the real run. */
export interface WallForecast {
  /** The largest bound plus the overhead. */
  readonly ms: number;
  /** Start, end, and retry waits beyond the largest bound. */
  readonly overheadMs: number;
  /** The largest first: the first is the bottleneck. */
  readonly bounds: readonly WallBound[];
  /** The wall time if the bottleneck had twice the parallel requests; null if it is no model. */
  readonly doubledMs: number | null;
}

/** The estimate of the real run. */
export interface Rehearsal {
  /** Rows requested in the real run, and how many of them would be made. */
  readonly rows: number;
  readonly rowsMade: number;
  /** The rehearsed rows. */
  readonly sample: {
    readonly rows: number;
    readonly rowsMade: number;
    readonly wallMs: number;
    readonly lost: RunSummary['lost'];
  };
  readonly models: readonly ModelForecast[];
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null if a model has no price. */
  readonly cost: number | null;
  readonly wall: WallForecast;
  /** The assumptions behind the figures, as sentences. */
  readonly assumptions: readonly string[];
}
