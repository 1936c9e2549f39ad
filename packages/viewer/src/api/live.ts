import type { CutText } from './cells.ts';
import type { LiveFigures } from './overview.ts';

/** What a run is doing. */
export interface LiveState {
  /** The latest answers, the newest last, at most 100. */
  readonly answers: readonly LiveAnswer[];
  readonly groups: readonly OpenGroup[];
}

/** An answer that arrived, before its row is finished. */
export interface LiveAnswer {
  /** Counts up; the order of arrival as far as the viewer saw it. */
  readonly number: number;
  /** Milliseconds since 1970: when the viewer saw it. */
  readonly at: number;
  readonly group: number;
  readonly row: number;
  readonly column: string;
  /** The attempt of a block that it belongs to, from 1; 1 outside of attempts. */
  readonly attempt: number;
  /** The number of the call in its cell, from 0. */
  readonly call: number;
  /** `model`, `tool`, or another resource. */
  readonly kind: 'model' | 'tool' | 'other';
  /** Provider and model, or the tool provider. */
  readonly resource: string;
  readonly status: number;
  /** Cut at 1,000 characters. */
  readonly text: CutText;
  readonly reasoning: CutText | null;
  readonly toolCalls: readonly string[];
  readonly outputTokens: number | null;
  readonly finishReason: string | null;
}

/** Rows that have cells and are not finished. */
export interface RowsInTheMaking {
  /** All of them; `rows` has the first ones. */
  readonly total: number;
  /** The columns with a cell of one of the rows, in the order of the plan. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    /** The row of the plan, from 0. */
    readonly row: number;
    /** The latest answer by column, cut; null where there is none. */
    readonly cells: readonly (string | null)[];
  }[];
}

/** A row group at work. */
export interface OpenGroup {
  readonly group: number;
  readonly rows: number;
  readonly answers: number;
  /** Milliseconds since 1970 of the last answer; null before the first. */
  readonly lastAnswerAt: number | null;
  /** The columns that it waits for, with the number of rows that have an answer. */
  readonly columns: readonly { readonly column: string; readonly answered: number; readonly inFlight: number | null }[];
  /** In one sentence: what it waits for. */
  readonly waitsFor: string;
}

/**
 * `GET /api/events?dataset=&topic=`: a stream of one kind of events, at most two a second; a page that wakes up requests the
 * state again.
 */
export interface LiveEvents {
  readonly figures: LiveFigures;
  readonly answers: LiveState;
}

/** The kinds of events. */
export type LiveTopic = keyof LiveEvents;
