import type { ModelState } from '@data-designer/gateway';
import type { LostRows } from '@data-designer/core';
import type { AnswerFlaws } from './answer-flaws.ts';

/** How far a run has come at a moment: plain data; counts include what earlier runs made of the dataset. */
export interface ProgressSnapshot {
  /** Since the first row group of this run was begun. */
  readonly elapsedMs: number;
  readonly rows: {
    readonly wanted: number;
    /** Made, also those whose row group is not committed yet. */
    readonly done: number;
    /** Of these, those that earlier runs made. */
    readonly before: number;
    readonly lost: number;
    /** Made per second of late. */
    readonly perSecond: number;
  };
  /** Until all rows are made or lost, at the rate of late; null while there is none, and where the run ended before. */
  readonly etaSeconds: number | null;
  readonly groups: { readonly total: number; readonly done: number; readonly open: number };
  /** In the currency of the prices. */
  readonly cost: {
    /** Null where some answers have no price. */
    readonly soFar: number | null;
    /** Of the whole dataset; null while it cannot be told. */
    readonly forecast: number | null;
    /** What may be spent, and what is left of it; null without a bound. */
    readonly budget: number | null;
    readonly left: number | null;
  };
  /** What was asked, by model alias. */
  readonly usage: Readonly<Record<string, AliasProgress>>;
  readonly models: readonly ModelProgress[];
  readonly tools: { readonly calls: number; readonly errors: number };
  /** Answers that were taken though something is wrong with them, by column. */
  readonly flaws: readonly AnswerFlaws[];
  /** The three most frequent reasons for lost rows. */
  readonly failures: readonly LostRows[];
}

/** What a model alias was asked so far, and its tokens per second of late. */
export interface AliasProgress {
  readonly requests: number;
  readonly failedRequests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
  readonly inputTokensPerSecond: number;
  readonly outputTokensPerSecond: number;
}

/** How a model stands, with the aliases that ask it. */
export interface ModelProgress extends Omit<ModelState, 'resource'> {
  /** Provider and model. */
  readonly model: string;
  readonly aliases: readonly string[];
}
