import type { RowGroup } from '@data-designer/core';
import type { GroupQueue } from '../redis/group-queue.ts';
import type { Timing } from '../timing.ts';

/** The queue holds at most this many groups that wait: more are added as machines take them. */
const MOST_WAITING = 10_000;
/**
 * How often in a row a group must be neither in the queue nor on a machine before it is added again; for `reconnectMs` at least:
 * machines may still wait to connect to Redis again.
 */
const ABSENT_POLLS = 3;
/**
 * How many beats pass at least between two comparisons of the queue with the groups that are left. Before the last one all
 * machines are asked what they have: an emptied Redis does not know it.
 */
const COMPARED_BEATS = 3.4;

/** What the groups of a run are compared with. */
interface LeftGroupsParts {
  readonly queue: Pick<GroupQueue, 'groups' | 'add'>;
  readonly timing: Timing;
  /** Takes a group out of those that are left if it is committed. */
  readonly checkCommitted: (group: number) => Promise<void>;
  /** Whether a machine has begun a group, and has not given it back. */
  readonly isTaken: (group: number) => Promise<boolean>;
  /** Has all machines report at once. */
  readonly requestReports: () => Promise<void>;
}

/** The groups of a run that are not committed; keeps those in the queue that no machine has. */
export class LeftGroups implements Iterable<RowGroup> {
  readonly #parts: LeftGroupsParts;
  readonly #left = new Map<number, RowGroup>();
  /** How often each group was found nowhere, and since when. */
  readonly #absent = new Map<number, { readonly polls: number; readonly since: number }>();
  /** The groups that are not in `#left` yet. */
  #further: Iterator<RowGroup> = [].values();
  #hasMore = true;
  #comparedAt = -Infinity;

  constructor(parts: LeftGroupsParts) {
    this.#parts = parts;
  }

  /** Takes the groups of the run, which are read as the queue has room for them. */
  begin(groups: Iterable<RowGroup>): void {
    this.#further = groups[Symbol.iterator]();
  }

  /** Whether all groups are committed. */
  get isEmpty(): boolean {
    return !this.#hasMore && this.#left.size === 0;
  }

  has(group: number): boolean {
    return this.#left.has(group);
  }

  /** Takes a committed group out; false if it was taken out before. */
  delete(group: number): boolean {
    return this.#left.delete(group);
  }

  [Symbol.iterator](): Iterator<RowGroup> {
    return this.#left.values();
  }

  /**
   * Adds groups to the queue, where so many wait: further ones, and those that are neither there nor open on a machine.
   * Returns how many.
   */
  async fill(waiting: number, open: ReadonlySet<number>): Promise<number> {
    const { queue } = this.#parts;
    const isComplete = waiting + [...open].filter((group) => this.#left.has(group)).length === this.#left.size;
    // The queue is listed only if something is wrong.
    const listed = isComplete ? [] : await queue.groups();
    const known = new Set([...open, ...listed]);
    if (isComplete) this.#absent.clear();
    const absent = isComplete ? [] : await this.#findAbsent(known);
    const further = await this.#takeFurther(MOST_WAITING - waiting - absent.length, known);
    await queue.add([...absent, ...further]);
    for (const group of absent) this.#absent.delete(group);
    return absent.length + further.length;
  }

  /** The groups that were found nowhere several times in a row. */
  async #findAbsent(known: ReadonlySet<number>): Promise<readonly number[]> {
    const { timing, checkCommitted, requestReports } = this.#parts;
    const isEarly = performance.now() - this.#comparedAt < COMPARED_BEATS * timing.beatMs;
    if (isEarly) return [];
    const now = performance.now();
    this.#comparedAt = now;
    const absent: number[] = [];
    let isUnsure = false;
    for (const group of this.#left.keys()) {
      if (known.has(group)) {
        this.#absent.delete(group);
        continue;
      }
      const { polls: before, since } = this.#absent.get(group) ?? { polls: 0, since: now };
      const polls = before + 1;
      this.#absent.set(group, { polls, since });
      if (polls < ABSENT_POLLS - 1) continue;
      await checkCommitted(group);
      if (!this.#left.has(group)) continue;
      if (polls < ABSENT_POLLS || now - since < timing.reconnectMs) isUnsure = true;
      else absent.push(group);
    }
    // By the next poll machines have reported what they have.
    if (isUnsure) await requestReports();
    return absent;
  }

  /** The next groups of the run that are not committed, at most so many. */
  async #takeFurther(most: number, known: ReadonlySet<number>): Promise<readonly number[]> {
    const further: number[] = [];
    while (further.length < most && this.#hasMore) {
      const next = this.#further.next();
      if (next.done) {
        this.#hasMore = false;
        break;
      }
      const { index } = next.value;
      this.#left.set(index, next.value);
      // After a change of the coordinator many are committed, and an emptied Redis does not know those at work.
      await this.#parts.checkCommitted(index);
      if (!this.#left.has(index) || known.has(index) || (await this.#parts.isTaken(index))) continue;
      further.push(index);
    }
    return further;
  }
}
