import { existsSync } from 'node:fs';
import type { ClusterPaths } from '@data-designer/dataset';
import type { SeenMachine } from '@data-designer/engine/parts';
import type { Beat } from '../redis/run-state.ts';
import type { Timing } from '../timing.ts';

/** How long a machine that joins may take to be seen in the shared folder, in beats. */
const ACCEPT_BEATS = 30;

/** A machine that has reported. */
interface KnownMachine {
  beat: Beat;
  /** When its last report came. */
  at: number;
  readonly since: number;
  isAccepted: boolean;
  /** Whether its report has expired before it left. */
  isLost: boolean;
}

/** The last report of a machine, and how old it is. */
export type SeenBeat = Beat & SeenMachine;

/** The other machines of a run, by their reports. */
export class MachineList {
  readonly #timing: Timing;
  readonly #cluster: ClusterPaths;
  readonly #machines = new Map<string, KnownMachine>();

  constructor({ timing, cluster }: { readonly timing: Timing; readonly cluster: ClusterPaths }) {
    this.#timing = timing;
    this.#cluster = cluster;
  }

  /** The machines whose reports count. */
  get present(): readonly Beat[] {
    return this.#known.flatMap(({ beat, isLost }) => (isLost ? [] : [beat]));
  }

  /** The machines that take row groups. */
  get working(): readonly Beat[] {
    return this.#working.map(({ beat }) => beat);
  }

  /** The working machines, the last heard of first: one that was lost a moment ago still counts as working. */
  get successors(): readonly Beat[] {
    return this.#working.toSorted((a, b) => b.at - a.at).map(({ beat }) => beat);
  }

  /** All machines for the progress of the run, the lost ones without work. */
  seen(): readonly SeenBeat[] {
    return this.#known.map(({ beat, at, isLost }) => {
      const seen = { ...beat, isLost, lastSeenMs: Math.round(performance.now() - at) };
      return isLost ? { ...seen, open: [], models: [] } : seen;
    });
  }

  /** Takes the reports of the other machines. */
  take(beats: readonly Beat[]): void {
    const now = performance.now();
    for (const beat of beats) {
      const known = this.#machines.get(beat.id) ?? { beat, at: now, since: now, isAccepted: false, isLost: false };
      if (known.beat.count !== beat.count) known.at = now;
      if (beat.hasLeft) this.#machines.delete(beat.id);
      else this.#machines.set(beat.id, Object.assign(known, { beat, isLost: false }));
    }
    const reported = new Set(beats.map(({ id }) => id));
    for (const [id, known] of this.#machines) {
      if (reported.has(id)) continue;
      // One that has stopped was about to leave.
      if (known.beat.hasStopped) this.#machines.delete(id);
      // An emptied Redis knows no machine until each has reported again.
      else known.isLost ||= now - known.at > this.#timing.silenceMs;
    }
  }

  /** Compares each machine's folder with this one, where its file must be; returns what machines do not know yet. */
  accept(answered: ReadonlyMap<string, boolean>): ReadonlyMap<string, boolean> {
    const unanswered = new Map<string, boolean>();
    for (const [id, known] of this.#machines) {
      if (known.isLost) continue;
      known.isAccepted ||= existsSync(this.#cluster.machine(id));
      const isLate = performance.now() - known.since >= ACCEPT_BEATS * this.#timing.beatMs;
      if ((known.isAccepted || isLate) && answered.get(id) !== known.isAccepted) unanswered.set(id, known.isAccepted);
    }
    return unanswered;
  }

  get #working(): readonly KnownMachine[] {
    return this.#known.filter(({ beat, isLost, isAccepted }) => isAccepted && !isLost && !beat.hasStopped);
  }

  get #known(): readonly KnownMachine[] {
    return [...this.#machines.values()];
  }
}
