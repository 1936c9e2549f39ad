import {
  type AttemptFigures,
  attemptFigures,
  endOf,
  type RunEnd,
  type RunResult,
  type RunSummary,
  type UnverifiedRows,
  unverifiedRows,
} from '@data-designer/engine';
import { type Plan, rowsIn, SEED_TABLE } from '@data-designer/core';
import { addCosts } from '@data-designer/printing/describe-cost';
import { finalAnswerOf, toolCallsOf, type TracedToolCall } from './read-trace.ts';
import { RecordDisplay, type SampleRecordOptions, type ShownRecords } from './sample-record/record-display.ts';

/** The records of a run or a preview, and what they took. */
export class MadeRecords {
  /** Rows made. */
  readonly count: number;
  /** Rows requested. */
  readonly requested: number;
  /** Why the run ended before all rows were made, in one sentence; null if it made them all. */
  readonly ended: RunEnd | null;
  readonly #summary: RunSummary;
  readonly #plan: Plan;
  readonly #show: () => ShownRecords;
  #display: RecordDisplay | undefined;

  constructor({ plan, summary, ended }: Pick<RunResult, 'plan' | 'summary' | 'ended'>, show: () => ShownRecords) {
    this.count = summary.rows;
    this.requested = rowsIn(plan.segments);
    this.ended = endOf(ended);
    this.#summary = summary;
    this.#plan = plan;
    this.#show = show;
  }

  /** The columns of the seed dataset; none without a seed. */
  get datasetMetadata(): { readonly seedColumnNames: readonly string[] } {
    const seed = this.#plan.tables.find(({ id }) => id === SEED_TABLE);
    return { seedColumnNames: seed?.fields.map(({ name }) => name) ?? [] };
  }

  /** Requests, tokens, tool calls and costs by model alias, also by column; includes earlier runs of the dataset. */
  get usage(): ReturnType<RunSummary['pricedUsage']> {
    return this.#summary.pricedUsage(this.#plan);
  }

  /** The cost of all answers, in the currency of the prices; null if a model has no price. */
  get cost(): number | null {
    return this.#summary.costOf(this.#plan);
  }

  /** The cost of the answers of all models with a price, in the currency of the prices. */
  get knownCost(): number {
    return addCosts(this.usage).known ?? 0;
  }

  /** The aliases of the models in use without a price, whose cost is unknown. */
  get unpriced(): readonly string[] {
    return addCosts(this.usage).unpriced;
  }

  /** Calls, errors, timeouts, bytes and times in milliseconds by tool; includes earlier runs of the dataset. */
  get tools(): RunSummary['tools'] {
    return this.#summary.tools;
  }

  /** The attempts at rows, by block; includes earlier runs of the dataset. Empty without a block. */
  get attempts(): Readonly<Record<string, AttemptFigures>> {
    return attemptFigures(this.#plan, this.#summary);
  }

  /** The rows that blocks of attempts kept without an accepted attempt (`on_exhausted`), by block. */
  get unverified(): readonly UnverifiedRows[] {
    return unverifiedRows(this.#plan, this.attempts);
  }

  /** Journaled answers that were re-requested because their requests had changed; includes earlier runs of the dataset. */
  get reRequested(): number {
    return this.#summary.reRequested;
  }

  /** The reasons for lost rows of this run, the most frequent reason first. */
  get lost(): RunSummary['lost'] {
    return this.#summary.lost;
  }

  /** Flawed answers that were used anyway, by column. */
  get flaws(): RunSummary['flaws'] {
    return this.#summary.flaws;
  }

  /**
   * All problems of the run: lost rows, failed cells, flawed answers, and failed tool calls by provider, tool and
   * reason.
   */
  get findings(): RunSummary['findings'] {
    return this.#summary.findings;
  }

  /** The reasons for failed cells in rows that this run kept, the most frequent reason first. */
  get failedCells(): RunSummary['failedCells'] {
    return this.#summary.failedCells;
  }

  /** The tool calls in a row's conversation; name the `column` if several have traces. Throws `dataset/no-chats`. */
  toolCalls(row: object, column?: string): readonly TracedToolCall[] {
    return toolCallsOf(row, column);
  }

  /** The model's last message in a row's conversation; name the `column` if several have traces. Throws `dataset/no-chats`. */
  finalAnswer(row: object, column?: string): string | null {
    return finalAnswerOf(row, column);
  }

  /** Shows a record on the terminal, or writes it as an HTML page; throws `report/invalid-option`. */
  displaySampleRecord(options?: SampleRecordOptions): Promise<void> {
    return this.recordDisplay().show(options);
  }

  /** The records as texts for a terminal, and as pages. */
  recordDisplay(): RecordDisplay {
    return (this.#display ??= new RecordDisplay(this.#show()));
  }
}
