import type { RowGroup } from '@data-designer/core';
import type { Epoch } from '@data-designer/dataset';
import type { GroupProgress } from '@data-designer/engine/parts';
import { isUnbegun } from '../coordinator/balance-groups.ts';

/** A row group that a machine works on. */
interface OpenGroup {
  epoch: Epoch | undefined;
  progress: GroupProgress | undefined;
  /** Whether another machine has taken it over, so that its requests here were ended. */
  isSuperseded: boolean;
  /** Whether it goes back to the queue for another machine. */
  isSpare: boolean;
  /** Whether its lease is lost, so that another machine may take it over at any time. */
  isLeaseLost: boolean;
  readonly work: Promise<boolean>;
}

/** The row groups that a machine works on, by their number. */
export class OpenGroups {
  readonly #open = new Map<number, OpenGroup>();

  get size(): number {
    return this.#open.size;
  }

  get groups(): Iterable<number> {
    return this.#open.keys();
  }

  /** Resolves when all attempts have ended. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), ({ work }) => work));
  }

  get(group: number): OpenGroup | undefined {
    return this.#open.get(group);
  }

  /** Opens a group until its attempt ends, whose promise resolves with whether the group is made. */
  open(group: number, attempt: Promise<boolean>): Promise<boolean> {
    const work = attempt.finally(() => this.#open.delete(group));
    const state = { epoch: undefined, progress: undefined, isSuperseded: false, isSpare: false, isLeaseLost: false };
    this.#open.set(group, { ...state, work });
    return work;
  }

  /** Takes the reports of threads. */
  take(reports: readonly GroupProgress[]): void {
    for (const progress of reports) {
      const open = this.#open.get(progress.group);
      if (open) open.progress = progress;
    }
  }

  /** The progress of all groups. */
  get progress(): readonly GroupProgress[] {
    return Array.from(this.#open, ([group, { progress }]) => progress ?? emptyProgress(group));
  }

  /** The rows that are left in all groups. */
  rowsLeft(groups: ReadonlyMap<number, RowGroup>): number {
    let left = 0;
    for (const [group, { progress }] of this.#open) {
      left += (groups.get(group)?.rows ?? 0) - (progress?.rows ?? 0) - (progress?.lost ?? 0);
    }
    return left;
  }

  /** Marks groups beyond so many as spare: those that have not begun, the last ones first; returns them. */
  spare(keep: number): readonly number[] {
    const kept = [...this.#open].filter(([, { isSpare }]) => !isSpare);
    const unbegun = kept.filter(([, { progress }]) => !progress || isUnbegun(progress));
    const spare = unbegun.toReversed().slice(0, Math.max(0, kept.length - keep));
    for (const [, open] of spare) open.isSpare = true;
    return spare.map(([group]) => group);
  }

  /** Marks groups whose lease is lost. */
  leaseLost(groups: readonly number[]): void {
    for (const group of groups) {
      const open = this.#open.get(group);
      if (open) open.isLeaseLost = true;
    }
  }

  /** The groups whose lease is lost. */
  get withoutLease(): readonly number[] {
    return [...this.#open].flatMap(([group, { isLeaseLost }]) => (isLeaseLost ? [group] : []));
  }
}

/** The progress of a group before its thread has reported any. */
export function emptyProgress(group: number): GroupProgress {
  return { group, rows: 0, lost: 0, reasons: [], cells: {}, inFlight: {}, usage: {}, tools: {} };
}
