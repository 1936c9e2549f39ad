import type { RowGroup } from '@data-designer/core';
import type { GroupQueue } from '../redis/group-queue.ts';
import type { Timing } from '../timing.ts';

/** The queue holds at most this many groups that wait: more are added as machines take them. */
const MOST_WAITING = 10_000;
/** How often in a row a group must be neither in the queue nor on a machine before it is added again. */
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
  /** Has all machines report at once. */
  readonly requestReports: () => Promise<void>;
}

/** The groups of a run that are not committed; keeps those in the queue that no machine has. */
export class LeftGroups implements Iterable<RowGroup> {
  readonly #parts: LeftGroupsParts;
  readonly #left = new Map<number, RowGroup>();
  /** How often each group was found nowhere. */
  readonly #absent = new Map<number, number>();
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
    this.#comparedAt = performance.now();
    const absent: number[] = [];
    let isUnsure = false;
    for (const group of this.#left.keys()) {
      const polls = known.has(group) ? 0 : (this.#absent.get(group) ?? 0) + 1;
      if (polls === 0) this.#absent.delete(group);
      else this.#absent.set(group, polls);
      if (polls < ABSENT_POLLS - 1) continue;
      await checkCommitted(group);
      if (!this.#left.has(group)) continue;
      if (polls < ABSENT_POLLS) isUnsure = true;
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
      // After a change of the coordinator many are committed.
      await this.#parts.checkCommitted(index);
      if (this.#left.has(index) && !known.has(index)) further.push(index);
    }
    return further;
  }
}
