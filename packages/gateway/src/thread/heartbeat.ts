/** How often a thread counts a beat, and how often its host checks. */
export const BEAT_MS = 1000;
/** How long a thread may go without a beat. */
const SILENCE_MS = 30_000;
/** How long a thread may take until its first beat: it loads a program, maybe on a busy machine. */
export const THREAD_START_MS = 120_000;

/** Fields of the shared memory: the number of beats, then the cell that the thread makes. */
const BEATS = 0;
const POSITION = 1;
const COLUMN = 2;
const ATTEMPT = 3;
const FIELDS = 4;

/** Shared memory with the beats of one thread and the cell that it makes. */
export type HeartbeatMemory = SharedArrayBuffer;

/** A cell as a thread notes it: the position of its row in the row group, and of its column in the plan. */
export interface NotedCell {
  readonly position: number;
  readonly column: number;
  /** The attempt that it belongs to, from 0; absent outside of attempts. */
  readonly attempt?: number | undefined;
}

/** Memory for the beats of one thread. */
export function heartbeatMemory(): HeartbeatMemory {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * FIELDS);
}

/** Beats for this thread until it ends. */
export function beat(memory: HeartbeatMemory): void {
  const fields = new Int32Array(memory);
  const count = (): void => void Atomics.add(fields, BEATS, 1);
  count();
  setInterval(count, BEAT_MS).unref();
}

/** Records the cell that this thread begins to make, or that it makes none. */
export function noteCell(memory: HeartbeatMemory, cell: NotedCell | undefined): void {
  const fields = new Int32Array(memory);
  Atomics.store(fields, COLUMN, cell ? cell.column : 0);
  Atomics.store(fields, ATTEMPT, (cell?.attempt ?? -1) + 1);
  Atomics.store(fields, POSITION, cell ? cell.position + 1 : 0);
}

/** The cell that a thread has recorded last and not finished. */
export function notedCell(memory: HeartbeatMemory): NotedCell | undefined {
  const fields = new Int32Array(memory);
  const position = Atomics.load(fields, POSITION) - 1;
  if (position < 0) return undefined;
  const attempt = Atomics.load(fields, ATTEMPT) - 1;
  return { position, column: Atomics.load(fields, COLUMN), ...(attempt >= 0 && { attempt }) };
}

/** Watches the beats of one thread. It counts checks, not time: a suspended process neither checks nor beats. */
export class HeartbeatWatch {
  readonly #fields: Int32Array;
  readonly silenceMs: number;
  #seen = 0;
  #silentLooks = 0;

  constructor(memory: HeartbeatMemory, silenceMs = SILENCE_MS) {
    this.#fields = new Int32Array(memory);
    this.silenceMs = silenceMs;
  }

  /** Checks once; call it every `BEAT_MS`. A `silent` thread hangs, or has not started in time. */
  look(): 'alive' | 'silent' {
    const beats = Atomics.load(this.#fields, BEATS);
    this.#silentLooks = beats === this.#seen ? this.#silentLooks + 1 : 0;
    this.#seen = beats;
    const allowedMs = beats === 0 ? THREAD_START_MS : this.silenceMs;
    return this.#silentLooks * BEAT_MS >= allowedMs ? 'silent' : 'alive';
  }
}
