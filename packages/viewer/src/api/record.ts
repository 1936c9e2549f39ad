import type { RowReview } from '@data-designer/core';
import type { StateChanges } from '@data-designer/environments/compare-states';
import type { LoggedFailure } from '@data-designer/dataset';
import type { Cell, CutText, Media } from './cells.ts';
import type { TracePage } from './conversation.ts';

/** A record as its sections. */
export interface RecordAnswer {
  readonly version: string;
  readonly index: number;
  /** The position within the filter, from 0; null if the filter leaves the row out. */
  readonly position: number | null;
  readonly total: number;
  readonly previous: number | null;
  readonly next: number | null;
  /** The row of the plan, from 0, by which failures and answers name it; null where that is not known. */
  readonly row: number | null;
  /** The hash of the row's values, by which a review knows the row; null for a row of many megabytes: `row-hash` returns it. */
  readonly hash: string | null;
  readonly review: RowReview | null;
  /** The cells of the row that failed and are null. */
  readonly failures: readonly FailedField[];
  /** All columns in order, text up to 20,000 characters. */
  readonly fields: readonly RecordField[];
  /** What each column of a model was asked and what the model said. */
  readonly answers: readonly ModelAnswer[];
  /** The attempts at the row by block, where the row or a journal has them. */
  readonly attempts: readonly RecordedAttempts[];
  /** The states that columns left in environments, in the order in which the columns were made. */
  readonly states: readonly RecordedState[];
  /** The output of processors for this row. */
  readonly processed: readonly { readonly processor: string; readonly fields: readonly RecordField[] }[];
}

/** The parts of a record that a page draws, whether a server answered or the page holds them. */
export type ShownRecord = Pick<RecordAnswer, 'index' | 'fields' | 'answers' | 'processed'> &
  Partial<Pick<RecordAnswer, 'attempts' | 'states'>>;

/** A failed cell of a record. */
type FailedField = Pick<LoggedFailure, 'row' | 'column' | 'code' | 'message'>;

/** A value of a record. */
export interface RecordField {
  readonly column: string;
  readonly value: Cell;
  /** Pictures and audio of the value, by the address to request them from. */
  readonly media: readonly Media[];
  /** A judge's scores. */
  readonly scores: readonly { readonly name: string; readonly score: Cell; readonly reasoning: string }[];
  /** A validation's verdict; null for other values. */
  readonly isValid: boolean | null;
  /** What the programs of a verdict did, one for each target; absent for other values. */
  readonly programs?: readonly CheckedProgram[];
  /** The first messages of a conversation; absent for other values. */
  readonly conversation?: TracePage;
}

/** What a program did, and what its tests found. */
export interface CheckedProgram {
  /** The column of the program where a verdict has several; null for the only one. */
  readonly target: string | null;
  /** Null for a program that was not there. */
  readonly isValid: boolean | null;
  /** The kind of the failure: `exception`, `timeout`, `memory`, `output` or `wrong`. */
  readonly failure: string | null;
  readonly error: Cell;
  readonly output: Cell;
  /** JSON text. */
  readonly result: Cell;
  readonly seconds: number | null;
  readonly memoryMb: number | null;
  readonly tests: readonly ProgramTest[];
  /** All tests, of which `tests` has the first ones. */
  readonly testCount: number;
}

/** What one test of a program found. */
export interface ProgramTest {
  readonly number: number;
  readonly passed: boolean;
  readonly error: Cell;
  readonly output: Cell;
}

/** The attempts at a row by a block. */
export interface RecordedAttempts {
  readonly block: string;
  /** Whether the row has them (`keep: all` or a pair), without those that failed; else they are answers in the journal. */
  readonly isStored: boolean;
  /** The fields of the row that have them. */
  readonly fields: readonly string[];
  readonly attempts: readonly RecordedAttempt[];
}

/** One attempt at a row, with the values or answers of its columns. */
export interface RecordedAttempt {
  /** `Attempt 1`, or the part of a pair. */
  readonly title: string;
  readonly fields: readonly RecordField[];
}

/** The state of an environment after a column. */
export interface RecordedState {
  /** The field of the row that has it. */
  readonly field: string;
  /** The column that used the environment. */
  readonly column: string;
  readonly environment: string;
  readonly after: Cell;
  /** What each tool call of the column changed; null where that is not known. */
  readonly calls: readonly CallChanges[] | null;
  /** The state before, and the changes since; null if it is not known. */
  readonly before:
    | (StateChanges & {
        /** The field that has it; null for the state with which the environment began, made again from the plan and the row. */
        readonly field: string | null;
        readonly value: Cell;
      })
    | null;
}

/** What a tool call changed in an environment. */
interface CallChanges extends StateChanges {
  /** The number of its message in the conversation of the column. */
  readonly message: number;
  /** Its position among the calls of the message. */
  readonly call: number;
}

/** The source of a prompt or an answer. */
export type AnswerSource = 'trace' | 'journal' | 'rendered' | 'not-stored';

/** A prompt or an answer; its first 20,000 characters if it is a message of the conversation, whose rest `text` returns. */
export interface AnswerText extends CutText {
  readonly message?: number;
}

/** What a model was asked for a cell, and what it said. */
export interface ModelAnswer {
  readonly column: string;
  readonly modelAlias: string;
  readonly model: string;
  readonly prompt: {
    readonly source: AnswerSource;
    readonly text: AnswerText | null;
    readonly system: AnswerText | null;
    /** For `rendered`: what may differ. For `not-stored`: the setting that keeps it. */
    readonly note: string | null;
  };
  readonly raw: { readonly source: AnswerSource; readonly text: AnswerText | null; readonly note: string | null };
  /** The conversation, if the row has it; `trace` returns further messages. */
  readonly conversation: TracePage | null;
}
