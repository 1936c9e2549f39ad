import { isFields } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { checkedRecord, LineLog } from './line-log.ts';

/** A candidate that a selection refused. */
export interface RefusedCandidate {
  /** Its row among the stored candidates (`candidates`), or in the finished dataset that rows are selected from; from 0. */
  readonly row: number;
  /** The code of the reason, such as `select/duplicate`. */
  readonly code: string;
  /** The column or the file that the reason names; empty for none. */
  readonly column: string;
  /** The reason with its particulars, such as `duplicate of row 12 (0.87)`. */
  readonly reason: string;
  /** The row of this dataset that it duplicates. */
  readonly of?: number;
}

/** A line of `selection.jsonl`: the decisions on consecutive candidates. */
export interface DecidedRows {
  /** The row group of the candidates, whose number the file of the accepted rows has; for rows of a finished dataset, the line. */
  readonly group: number;
  /** The stored candidates that are decided. */
  readonly decided: number;
  readonly accepted: number;
  /** The candidates without a stored row: `where` was false, or a cell failed. */
  readonly unmade: number;
  /** Of the decisions: a resume that decides otherwise writes the rows again. Empty for rows of a finished dataset. */
  readonly digest: string;
  readonly refused: readonly RefusedCandidate[];
}

/** The decisions of a selection, one JSON object per line; a later line for a group replaces the earlier one. */
export class SelectionLog {
  readonly #log: LineLog;

  constructor({ selection }: Pick<DatasetPaths, 'selection'>) {
    this.#log = new LineLog(selection);
  }

  add(decided: DecidedRows): Promise<void> {
    return this.#log.add([decided]);
  }

  /** The decisions by group. Damaged lines are left out: a resume decides on their candidates again. */
  async read(): Promise<ReadonlyMap<number, DecidedRows>> {
    const lines = (await this.#log.read()).map(checkedRecord).filter(isDecidedRows);
    return new Map(lines.map((line) => [line.group, line]));
  }
}

function isDecidedRows(value: unknown): value is DecidedRows {
  if (!isFields(value) || typeof value.digest !== 'string' || !Array.isArray(value.refused)) return false;
  return [value.group, value.decided, value.accepted, value.unmade].every(Number.isSafeInteger);
}
