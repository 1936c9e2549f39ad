import type { LostRows } from '@data-designer/core';
import type { BatchFormat } from '@data-designer/dataset/formats';
import type { AttemptFigures, ProgressSnapshot, RateSample } from '@data-designer/engine';
import type { DatasetProfile } from '@data-designer/profile';
import type { ColumnInfo } from './columns.ts';
import type { Condition } from './filter.ts';
import type { DatasetEntry } from './datasets.ts';

/** The state of the run that makes a dataset. */
export type RunState =
  /** A process is at work. */
  | 'running'
  /** All rows are made. */
  | 'finished'
  /** Rows are missing and no process is at work; a resume makes them. */
  | 'unfinished'
  /** The process of the run ended without finishing it: it crashed or was killed. */
  | 'dead';

/** What a dataset is, what its run did, and what it does now. */
export interface Overview extends LiveFigures {
  readonly dataset: DatasetEntry;
  readonly format: BatchFormat;
  readonly columns: readonly ColumnInfo[];
  /** The scores of judges as columns of their own. */
  readonly scores: readonly ColumnInfo[];
  /** The processors with a side table, and the dropped columns if they are stored. */
  readonly sideTables: readonly string[];
  /** Usage of models by alias, for finished row groups; once no process is at work, for journaled answers too. */
  readonly usage: Readonly<Record<string, AliasUsage>>;
  readonly tools: Readonly<Record<string, ToolUsage>>;
  /** The attempts at rows by block, for finished row groups; empty without a block. */
  readonly attempts: Readonly<Record<string, AttemptFigures>>;
  /** Failed tool calls by provider, tool and reason, and used answers with flaws, for finished row groups. */
  readonly findings: readonly Finding[];
  /** Why rows are missing, the most frequent reason first: of failed cells, and of a selection. */
  readonly lost: readonly LostCause[];
  /** The number of failed cells, those whose row was kept included. */
  readonly failedCells: number;
  /** The selection of the rows; null without one. */
  readonly selection: { readonly candidates: number; readonly accepted: number } | null;
}

/** Rows that are missing for one cause, as the failures group them; a selection and a run at work name no cause. */
export interface LostCause extends LostRows {
  readonly cause?: string;
}

/** The figures that change while a run is at work; each `figures` event holds all of them. */
export interface LiveFigures {
  readonly state: RunState;
  /** Changes whenever rows are committed; ask again for rows then. */
  readonly version: string;
  /** Readable rows. */
  readonly rows: number;
  readonly wanted: number;
  /** The progress as the run reports it; null where it reports none. */
  readonly progress: ProgressSnapshot | null;
  /** The rates since the run began, at most 300 samples at even distances; those of the last run once it has ended. */
  readonly history: readonly RateSample[];
  /** The process that makes the rows; null where none reports. */
  readonly process: RunProcess | null;
}

/** The process of a run, or the coordinator of a run on several machines. */
interface RunProcess {
  readonly pid: number;
  readonly host: string;
  /** ISO times: when it began, and of its last report. */
  readonly startedAt: string;
  readonly reportedAt: string;
}

/** Failed tool calls for one reason, or the answers of a column with one flaw. */
interface Finding {
  /** The tool with its provider, or the column. */
  readonly about: string;
  readonly text: string;
  readonly count: number;
  /** The condition of their rows; null where the rows do not tell. */
  readonly where: Condition | null;
}

/** Requests and tokens of a model alias. */
export interface AliasUsage {
  readonly model: string;
  readonly requests: number;
  readonly failedRequests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
}

/** Calls of a tool; milliseconds. */
export interface ToolUsage {
  readonly calls: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

/** The statistics of the finished dataset; null while rows are missing. */
export interface ProfileAnswer {
  readonly profile: DatasetProfile | null;
  readonly note: string | null;
}

/** What a run made, for the list of runs. */
export interface RunFacts extends Pick<LiveFigures, 'state' | 'rows' | 'wanted'> {
  /** The cost of the answers of models with a price; null if no model in use has one. */
  readonly cost: number | null;
  /** The aliases of the models in use without a price. */
  readonly unpriced: readonly string[];
  /** The means of the scores that are numbers. */
  readonly scores: readonly { readonly name: string; readonly mean: number }[];
  readonly failedCells: number;
  /** The cells of a run at work; null otherwise. */
  readonly cells: { readonly done: number; readonly wanted: number } | null;
  /** Of the run at work, or of the last one; null where that is not known. */
  readonly elapsedMs: number | null;
  /** Milliseconds since 1970 of the last change; null where that is not known. */
  readonly changedAt: number | null;
}
