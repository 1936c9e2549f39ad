/** A call that waits for a permit. */
interface Waiter<Grant> {
  readonly priority: number;
  readonly order: number;
  readonly grant: Grant;
  waits: boolean;
}

/** A binary heap: the lowest priority number first, then the first to ask. Withdrawn entries are skipped later. */
export class PriorityQueue<Grant> {
  readonly #heap: Waiter<Grant>[] = [];
  #asked = 0;
  #length = 0;

  /** The number of entries that wait. */
  get length(): number {
    return this.#length;
  }

  /** Lines up; the returned function withdraws, and does nothing once it was served. */
  push(priority: number, grant: Grant): () => void {
    const waiter: Waiter<Grant> = { priority, order: this.#asked++, grant, waits: true };
    this.#length++;
    this.#rise(waiter);
    return () => {
      if (!waiter.waits) return;
      waiter.waits = false;
      this.#length--;
    };
  }

  /** Removes and returns the next entry; undefined if none waits. */
  shift(): Grant | undefined {
    for (let next = this.#pop(); next; next = this.#pop()) {
      if (!next.waits) continue;
      next.waits = false;
      this.#length--;
      return next.grant;
    }
    return undefined;
  }

  #rise(waiter: Waiter<Grant>): void {
    const heap = this.#heap;
    let index = heap.push(waiter) - 1;
    while (index > 0) {
      const above = (index - 1) >>> 1;
      const parent = heap[above];
      if (!parent || !before(waiter, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = waiter;
  }

  #pop(): Waiter<Grant> | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    let index = 0;
    for (;;) {
      const below = 2 * index + 1;
      const left = heap[below];
      const right = heap[below + 1];
      const isRight = left !== undefined && right !== undefined && before(right, left);
      const child = isRight ? right : left;
      if (!child || !before(child, last)) break;
      heap[index] = child;
      index = isRight ? below + 1 : below;
    }
    heap[index] = last;
    return top;
  }
}

function before(a: Waiter<unknown>, b: Waiter<unknown>): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.order < b.order);
}
