/** A place among the requests that a resource serves at a time; given back once. */
export interface Permit {
  release(): void;
}

interface Waiter {
  readonly row: number;
  readonly order: number;
  readonly grant: (permit: Permit) => void;
  cancelled: boolean;
}

/** How many requests a resource serves at a time, and who goes next: the oldest row first, then the first to ask. */
export class Admission {
  #limit: number;
  #inFlight = 0;
  #asked = 0;
  readonly #heap: Waiter[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Calls `grant` when there is a place, at once if there is one now; the returned function withdraws the wish. */
  request(row: number, grant: (permit: Permit) => void): () => void {
    const waiter: Waiter = { row, order: this.#asked++, grant, cancelled: false };
    push(this.#heap, waiter);
    this.#serve();
    return () => {
      waiter.cancelled = true;
    };
  }

  /** Grants nothing any more. */
  pause(): void {
    this.#limit = 0;
  }

  /** As `request`, as a promise; rejects with the signal's reason when that is aborted first. */
  acquire(row: number, signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const withdraw = this.request(row, (permit) => {
        signal.removeEventListener('abort', onAbort);
        resolve(permit);
      });
      function onAbort(): void {
        withdraw();
        reject(signal.reason as Error);
      }
      signal.addEventListener('abort', onAbort);
    });
  }

  #serve(): void {
    while (this.#inFlight < this.#limit) {
      const next = pop(this.#heap);
      if (!next) return;
      if (next.cancelled) continue;
      this.#inFlight++;
      next.grant(this.#permit());
    }
  }

  #permit(): Permit {
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#inFlight--;
        this.#serve();
      },
    };
  }
}

const before = (a: Waiter, b: Waiter): boolean => a.row < b.row || (a.row === b.row && a.order < b.order);

/** Binary heap, smallest row on top. */
function push(heap: Waiter[], waiter: Waiter): void {
  let index = heap.push(waiter) - 1;
  while (index > 0) {
    const parent = (index - 1) >>> 1;
    if (!before(waiter, heap[parent] as Waiter)) break;
    heap[index] = heap[parent] as Waiter;
    index = parent;
  }
  heap[index] = waiter;
}

function pop(heap: Waiter[]): Waiter | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (!last || heap.length === 0) return top;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Waiter, heap[child] as Waiter)) child++;
    if (!before(heap[child] as Waiter, last)) break;
    heap[index] = heap[child] as Waiter;
    index = child;
  }
  heap[index] = last;
  return top;
}
