import { DataDesignerError, type RowGroup } from '@data-designer/core';
import { type Epoch, isSuperseded } from '@data-designer/dataset';
import type { GroupChannels, GroupProgress } from '@data-designer/engine/parts';
import { isUnbegun } from './balance-groups.ts';
import { attemptGroup, type AttemptParts } from './group-attempt.ts';

/** A row group that a machine works on. */
interface OpenGroup {
  epoch: Epoch | undefined;
  progress: GroupProgress | undefined;
  /** Whether another machine has taken it over, so that its requests here were ended. */
  isSuperseded: boolean;
  /** Whether it goes back to the queue for another machine. */
  isGivenBack: boolean;
  /** Whether its lease is lost, so that another machine may take it over at any time. */
  isLeaseLost: boolean;
  readonly work: Promise<boolean>;
}

/** What the attempts use, and what they report to. The functions must not throw. */
interface OpenGroupsParts extends Omit<AttemptParts, 'channels'> {
  readonly groups: readonly RowGroup[];
  /** This machine has committed a group, or found it committed. */
  readonly onCommitted: (group: number) => void;
  /** A failure that every row would meet. */
  readonly onFatal: (group: number, failure: DataDesignerError) => void;
  /** A failure that every group of this machine would meet. */
  readonly onFailed: (failure: DataDesignerError) => void;
}

/** The row groups that a machine works on, by their number, with the attempts at them. */
export class OpenGroups {
  readonly #parts: OpenGroupsParts;
  readonly #groups: ReadonlyMap<number, RowGroup>;
  readonly #open = new Map<number, OpenGroup>();
  /** The channels of the groups. */
  channels: GroupChannels | undefined;
  /** The rows of the groups that were committed here. */
  rows = 0;
  /** Whether a group was given back. */
  hasReturned = false;

  constructor(parts: OpenGroupsParts) {
    this.#parts = parts;
    this.#groups = new Map(parts.groups.map((group) => [group.index, group]));
  }

  get groups(): Iterable<number> {
    return this.#open.keys();
  }

  /** Resolves when all attempts have ended. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), ({ work }) => work));
  }

  /**
   * Makes a group once, also where the queue has given it to this machine twice. Resolves with whether it is made; a group that
   * must not begin is not, and one of another run is none.
   */
  make(index: number, { mayBegin }: { readonly mayBegin: boolean }): Promise<boolean> {
    const known = this.#open.get(index);
    if (known) return known.work;
    const group = this.#groups.get(index);
    if (!group || !mayBegin) return Promise.resolve(!group);
    const work = this.#attempt(group).finally(() => this.#open.delete(index));
    const state = {
      epoch: undefined,
      progress: undefined,
      isSuperseded: false,
      isGivenBack: false,
      isLeaseLost: false,
    };
    this.#open.set(index, { ...state, work });
    void work.then((isMade) => (this.hasReturned ||= !isMade));
    return work;
  }

  async #attempt(group: RowGroup): Promise<boolean> {
    const { onCommitted, onFatal, onFailed } = this.#parts;
    if (!this.channels) return false;
    const channels = this.#endingChannels(this.channels);
    try {
      const outcome = await attemptGroup(group, { ...this.#parts, channels }, (epoch) => {
        const open = this.#open.get(group.index);
        if (open) open.epoch = epoch;
      });
      if (outcome.kind === 'returned') {
        if (outcome.fatal && !this.#open.get(group.index)?.isSuperseded) onFatal(group.index, outcome.fatal);
        return false;
      }
      this.rows += outcome.rows;
      onCommitted(group.index);
      return true;
    } catch (thrown) {
      onFailed(DataDesignerError.fromUnknown(thrown));
      return false;
    }
  }

  /** Channels that end a group at once if it was given back or superseded before it opened. */
  #endingChannels(channels: GroupChannels): GroupChannels {
    return {
      ...channels,
      open: (group) => {
        const port = channels.open(group);
        const { isSuperseded: isElsewhere, isGivenBack } = this.#open.get(group) ?? {};
        if (isElsewhere || isGivenBack) this.#parts.gateway.endGroup(group);
        return port;
      },
    };
  }

  /** Ends the requests of groups that another machine has taken over. */
  async endSuperseded(groups: Iterable<number>): Promise<void> {
    const { cluster } = this.#parts;
    for (const group of groups) {
      const open = this.#open.get(group);
      if (!open?.epoch || open.isSuperseded) continue;
      // Redis may only have lost the lease.
      const isElsewhere = await isSuperseded(cluster.epochsOf(group), open.epoch).catch(() => false);
      if (isElsewhere && this.#open.get(group) === open) this.#supersede(group, open);
    }
  }

  /** Ends the requests of all groups, whose attempts discard their files. */
  supersedeAll(): void {
    for (const [group, open] of this.#open) this.#supersede(group, open);
  }

  #supersede(group: number, open: OpenGroup): void {
    open.isSuperseded = true;
    this.#parts.gateway.endGroup(group);
  }

  /**
   * Gives back groups that have not begun, the last ones first, until there are so many; returns them. A group that begins
   * meanwhile loses nothing: its answers are in the journal.
   */
  giveBack(keep: number): readonly number[] {
    const kept = [...this.#open].filter(([, { isGivenBack }]) => !isGivenBack);
    const unbegun = kept.filter(([, { progress }]) => !progress || isUnbegun(progress));
    const returned = unbegun.toReversed().slice(0, Math.max(0, kept.length - keep));
    for (const [group, open] of returned) {
      open.isGivenBack = true;
      this.#parts.gateway.endGroup(group);
    }
    return returned.map(([group]) => group);
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
  get rowsLeft(): number {
    let left = 0;
    for (const [group, { progress }] of this.#open) {
      left += (this.#groups.get(group)?.rows ?? 0) - (progress?.rows ?? 0) - (progress?.lost ?? 0);
    }
    return left;
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
