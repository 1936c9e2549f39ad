import { dirname } from 'node:path';
import { DataDesignerError, type RowGroup, rowGroups } from '@data-designer/core';
import { datasetPaths, readRunRecord } from '@data-designer/dataset';
import type { RunEvent } from '../run-event.ts';
import { AcceptedRows } from './accepted-rows.ts';
import { isSelecting } from './candidate-plan.ts';
import { refuseOtherInputs } from './opened-selection.ts';
import { RowJudge } from './row-judge.ts';

/** Nothing is written: another machine may have the lease of the selection. */
const NOWHERE = { has: () => true, makeRoom: async () => {}, add: async () => {} };

/**
 * Decides the candidates of a selection while they are made, for a machine that goes on with a step but does not decide for
 * the dataset: the step ends with the last candidate that is needed.
 */
export class EnoughRows implements Disposable {
  readonly #judge: RowJudge;
  readonly #rows: AcceptedRows;
  readonly #groups: readonly RowGroup[];
  readonly #enough = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  private constructor(judge: RowJudge, rows: AcceptedRows, groups: readonly RowGroup[]) {
    this.#judge = judge;
    this.#rows = rows;
    this.#groups = groups;
  }

  /**
   * Opens it for a folder of candidates, and decides those that are there. Throws what `run` throws for files and datasets
   * that this machine lacks, or that have changed.
   */
  static async open(candidates: string): Promise<EnoughRows> {
    const [from, to] = [datasetPaths(candidates), datasetPaths(dirname(candidates))];
    const [made, { plan, format, compared }] = await Promise.all([readRunRecord(from), readRunRecord(to)]);
    if (!isSelecting(plan)) {
      throw new DataDesignerError('internal/unexpected', { reason: 'the dataset has no selection' });
    }
    const judge = await RowJudge.open(plan.select);
    refuseOtherInputs(to.folder, compared, judge.compared);
    const rows = new AcceptedRows(plan, { from, to, format }, { judge, written: NOWHERE });
    const enough = new EnoughRows(judge, rows, [...rowGroups(made.plan)]);
    await enough.#look();
    return enough;
  }

  /** Aborted once there are enough rows. */
  get signal(): AbortSignal {
    return this.#enough.signal;
  }

  /** A listener that decides after each row group, and passes on all events but the end of the step by this. */
  watching(onEvent: (event: RunEvent) => void): (event: RunEvent) => void {
    return (event) => {
      if (event.type === 'drain-start' && this.#enough.signal.aborted) return;
      onEvent(event);
      // A file that cannot be read shows when the selection goes on.
      if (event.type === 'row-group-end') this.#look().catch(() => {});
    };
  }

  #look(): Promise<void> {
    // A look that has failed does not end the looks.
    return (this.#looking = this.#looking.catch(() => {}).then(() => this.#decide()));
  }

  async #decide(): Promise<void> {
    await Array.fromAsync(this.#rows.advance(this.#groups));
    if (this.#rows.isComplete) this.#enough.abort(new Error('there are enough rows'));
  }

  [Symbol.dispose](): void {
    this.#judge[Symbol.dispose]();
  }
}
