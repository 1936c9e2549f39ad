import { randomUUID } from 'node:crypto';

/** The id of this machine in a cluster: of all its parts in runs, their limits, and the leases of sessions. */
export class MachineId {
  readonly text = randomUUID();
  #parts = 0;

  /** The id of a further part in a run. A machine that comes back to a run has a part of its own, as costs count by part. */
  nextPart(): string {
    return `${this.text}.${++this.#parts}`;
  }
}
