import type { RunSummary } from '@data-designer/engine';

/** What a model would be asked and answer in the real run, and what holds it up. */
export interface ModelForecast {
  readonly alias: string;
  readonly model: string;
  readonly provider: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly pictures: number;
  /** In the currency of the prices; null where there is none. */
  readonly cost: number | null;
}

/** Something that a run cannot be faster than, in milliseconds for all rows. */
export interface WallBound {
  /** Requests to a model over its places, the longest chain of answers in a row, or the work of this machine. */
  readonly kind: 'model' | 'chain' | 'machine';
  /** Of a model: `provider/model`. */
  readonly name: string;
  readonly ms: number;
  /** Of a model: its `max_parallel_requests`. */
  readonly places: number | null;
}

/** How long the real run would take. */
export interface WallForecast {
  /** The largest bound, and what the sample took beyond its own. */
  readonly ms: number;
  /** A start and an end, and waits between tries where these are longer than the largest bound. */
  readonly overheadMs: number;
  /** The largest first: the first is the bottleneck. */
  readonly bounds: readonly WallBound[];
  /** What the run would take if the bottleneck had twice the places; null where it is no model. */
  readonly doubledMs: number | null;
}

/** What a rehearsal says of the real run. */
export interface Rehearsal {
  /** Rows that the real run is asked for, and how many of them would be made. */
  readonly rows: number;
  readonly rowsMade: number;
  /** What was carried out for it. */
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
  /** Null where a model has no price. */
  readonly cost: number | null;
  readonly wall: WallForecast;
  /** What the figures rest on, in sentences. */
  readonly assumptions: readonly string[];
}
