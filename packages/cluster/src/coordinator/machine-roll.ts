import { existsSync } from 'node:fs';
import type { ClusterPaths } from '@data-designer/dataset';
import type { SeenMachine } from '@data-designer/engine/parts';
import type { Beat, RunState } from '../redis/run-state.ts';

/** How long a machine that joins may take to be seen in the shared folder. */
const ACCEPT_LOOKS = 30;

/** A machine that has reported. */
interface KnownMachine {
  beat: Beat;
  /** When its last report came. */
  at: number;
  looks: number;
  isAccepted: boolean;
  /** Whether its report has expired before it left. */
  isLost: boolean;
}

/** The last report of a machine, and how old it is. */
export type SeenBeat = Beat & SeenMachine;

/** The other machines of a run, as their reports tell. */
export class MachineRoll {
  readonly #state: RunState;
  readonly #cluster: ClusterPaths;
  readonly #machines = new Map<string, KnownMachine>();

  constructor({ state, cluster }: { readonly state: RunState; readonly cluster: ClusterPaths }) {
    this.#state = state;
    this.#cluster = cluster;
  }

  /** The machines whose reports count. */
  get present(): readonly Beat[] {
    return this.#known.flatMap(({ beat, isLost }) => (isLost ? [] : [beat]));
  }

  /** The machines that take row groups. */
  get working(): readonly Beat[] {
    return this.#known.flatMap(({ beat, isLost, isAccepted }) =>
      isAccepted && !isLost && !beat.hasStopped ? [beat] : [],
    );
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
      const known = this.#machines.get(beat.id) ?? { beat, at: now, looks: 0, isAccepted: false, isLost: false };
      if (known.beat.count !== beat.count) known.at = now;
      if (beat.hasLeft) this.#machines.delete(beat.id);
      else this.#machines.set(beat.id, Object.assign(known, { beat, isLost: false }));
    }
    const told = new Set(beats.map(({ id }) => id));
    for (const [id, known] of this.#machines) {
      if (told.has(id)) continue;
      // One that has stopped was about to leave.
      if (known.beat.hasStopped) this.#machines.delete(id);
      else known.isLost = true;
    }
  }

  /** Compares each machine's folder with this one: its file must be here. */
  async accept(): Promise<void> {
    for (const [id, known] of this.#machines) {
      if (known.isLost) continue;
      known.looks++;
      known.isAccepted ||= existsSync(this.#cluster.machine(id));
      if (known.isAccepted || known.looks >= ACCEPT_LOOKS) await this.#state.accept(id, known.isAccepted);
    }
  }

  get #known(): readonly KnownMachine[] {
    return [...this.#machines.values()];
  }
}
