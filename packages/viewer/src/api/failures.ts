import type { LostRowsChoice } from '@data-designer/engine';
import type { FailureCode, LostRows, OnFailure } from '@data-designer/core';
import type { LoggedFailure } from '@data-designer/dataset';
import type { Cell } from './cells.ts';
import type { Message } from './conversation.ts';

/** The failed cells by column, code and cause, the most frequent first. */
export interface FailureList {
  readonly groups: readonly FailureGroup[];
  /** Candidates that a selection refused, by reason; `refusals` lists them where they are stored. */
  readonly refused: readonly LostRows[];
  readonly failedRequests: FailedRequests;
  /** The lost rows, and whether another run may make them again; null while a run goes on. */
  readonly lost: LostRowsChoice | null;
}

/** Requests without a usable answer, most of which a retry made up for: by row group and model alias. */
export interface FailedRequests {
  /** Those with the most failed requests, at most 200. */
  readonly groups: readonly FailedRequestGroup[];
  /** The number of all. */
  readonly total: number;
}

/** The failed requests of a model alias for a row group. */
export interface FailedRequestGroup {
  /** Null for requests that belong to no row group, such as those for damaged files. */
  readonly group: number | null;
  readonly alias: string;
  readonly requests: number;
  readonly failed: number;
  /** Of the failed, those that the endpoint refused as too many. */
  readonly refused: number;
  /** The positions of the row group in the dataset; null where they are not recorded. */
  readonly rows: { readonly first: number; readonly count: number } | null;
}

/** Failed cells with one cause. */
export interface FailureGroup {
  readonly column: string;
  readonly code: FailureCode;
  readonly onFailure: OnFailure;
  readonly cells: number;
  /** The words that their messages share: names of it find its cells. */
  readonly cause: string;
  /** The message of the first one. */
  readonly message: string;
}

/** A page of failed cells. */
export interface FailedCellsPage {
  readonly total: number;
  readonly from: number;
  readonly cells: readonly FailedCell[];
  /** Why cells are missing; absent where none are. */
  readonly note?: string;
}

/** A failed cell with the conversation that led to it. */
export interface FailedCell extends Omit<LoggedFailure, 'messages'> {
  /** The position of the row in the dataset; null where the row is missing or that is not known. */
  readonly index: number | null;
  readonly messages: readonly Message[];
}

/** A page of refused candidates. */
export interface RefusalsPage {
  readonly total: number;
  readonly from: number;
  readonly refusals: readonly {
    readonly row: number;
    readonly code: string;
    readonly message: string;
    /** The accepted row that it resembles; null where there is none. */
    readonly similarTo: number | null;
    /** Its values, as far as a page shows them; null where they are not stored. */
    readonly values: readonly { readonly column: string; readonly value: Cell }[] | null;
  }[];
  /** The setting that stores them, if they are not stored. */
  readonly note: string | null;
}
