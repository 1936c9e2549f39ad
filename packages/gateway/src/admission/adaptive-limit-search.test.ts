import { expect, test } from 'vitest';
import { AdaptiveLimit } from './adaptive-limit.ts';
import { Admission, type Permit } from './admission.ts';
import { ANSWERED } from './permit-source.ts';
import { VirtualTime } from '../../test/virtual-time.ts';

/** A server that serves `capacity` requests at a time and refuses the rest at once, over a line with latency. */
interface Server {
  capacity: number;
  readonly latencyMs: readonly [number, number];
  readonly wayMs: number;
  readonly retryAfterMs?: number;
}

/** Pseudo-random numbers from 0 to 1, the same in every run of this test. */
function numbers(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Calls as the gateway makes them: admitted, sent, and retried after a random wait when refused. */
class Traffic {
  readonly time = new VirtualTime();
  readonly admission: Admission;
  readonly limit: AdaptiveLimit;
  readonly server: Server;
  readonly #draw = numbers();
  requests = 0;
  refused = 0;
  answered = 0;
  serving = 0;
  /** The total time in ms that the server spent on served requests. */
  served = 0;

  constructor(server: Server, cap = 256) {
    this.server = server;
    this.limit = new AdaptiveLimit(cap);
    this.admission = new Admission(this.limit, { clock: this.time });
  }

  /** Adds this many calls, all waiting from now on. */
  ask(calls: number): void {
    for (let row = 0; row < calls; row++) this.admission.request(row, (permit) => this.#send(row, permit, 0));
  }

  #send(row: number, permit: Permit, tries: number): void {
    this.requests++;
    const { wayMs } = this.server;
    this.time.after(2 * wayMs, () => permit.sent(2 * wayMs));
    this.time.after(wayMs * (2.5 + this.#draw()), () => {
      if (this.serving >= this.server.capacity) {
        this.time.after(wayMs, () => this.#refuse(row, permit, tries));
        return;
      }
      this.serving++;
      const [least, most] = this.server.latencyMs;
      const latency = least + (most - least) * this.#draw();
      this.time.after(latency, () => {
        this.serving--;
        this.served += latency;
        this.time.after(wayMs, () => {
          this.answered++;
          permit.release(ANSWERED);
        });
      });
    });
  }

  #refuse(row: number, permit: Permit, tries: number): void {
    this.refused++;
    const { retryAfterMs } = this.server;
    permit.release({ kind: 'refused', retryAfterMs });
    const wait = retryAfterMs ?? this.#draw() * Math.min(2000 * 2 ** tries, 60_000);
    this.time.after(wait, () => this.admission.request(row, (next) => this.#send(row, next, tries + 1)));
  }

  /** The share of the server's capacity that was used over this many ms. */
  use(ms: number): number {
    const before = this.served;
    this.time.run(this.time.now() + ms);
    return (this.served - before) / (ms * this.server.capacity);
  }
}

test.each<{ latencyMs: [number, number]; wayMs: number }>([
  { latencyMs: [200, 200], wayMs: 1 },
  { latencyMs: [200, 1000], wayMs: 1 },
  { latencyMs: [1000, 1000], wayMs: 1 },
  { latencyMs: [200, 1000], wayMs: 15 },
])('finds a hidden limit of 64 under a cap of 256: latency $latencyMs ms, way $wayMs ms', ({ latencyMs, wayMs }) => {
  const found = new Traffic({ capacity: 64, latencyMs, wayMs });
  found.ask(5000);
  found.time.run(2000);
  const mean = (latencyMs[0] + latencyMs[1]) / 2;
  expect(found.use((4500 * mean) / 64 - 2000)).toBeGreaterThan(0.9);
  found.time.run();
  expect(found.answered).toBe(5000);
  expect(found.refused / found.requests).toBeLessThan(0.03);
});

test('follows an endpoint whose capacity falls and then grows', () => {
  const followed = new Traffic({ capacity: 64, latencyMs: [200, 1000], wayMs: 1 });
  followed.ask(30_000);
  followed.time.run(10_000);
  followed.server.capacity = 16;
  followed.time.run(20_000);
  expect(followed.use(10_000)).toBeGreaterThan(0.9);
  followed.server.capacity = 200;
  followed.time.run(110_000);
  expect(followed.use(5000)).toBeGreaterThan(0.9);
  expect(followed.refused / followed.requests).toBeLessThan(0.03);
});

test('sends few requests while all are refused, and soon recovers afterwards', () => {
  const stormed = new Traffic({ capacity: 64, latencyMs: [200, 1000], wayMs: 1 });
  stormed.ask(20_000);
  stormed.time.run(10_000);
  const before = stormed.refused;
  stormed.server.capacity = 0;
  stormed.time.run(20_000);
  expect(stormed.refused - before).toBeLessThan(10);
  stormed.server.capacity = 64;
  stormed.time.run(30_000);
  expect(stormed.use(5000)).toBeGreaterThan(0.9);
});

test('uses most of the endpoint even with a Retry-After on every refusal', () => {
  const stopped = new Traffic({ capacity: 64, latencyMs: [200, 1000], wayMs: 1, retryAfterMs: 1000 });
  stopped.ask(6000);
  stopped.time.run(2000);
  expect(stopped.use(40_000)).toBeGreaterThan(0.9);
});

test('an endpoint that refuses nothing gets the whole cap within a moment', { tags: 'long' }, () => {
  const open = new Traffic({ capacity: 4096, latencyMs: [1000, 1000], wayMs: 1 }, 4096);
  open.ask(16_384);
  open.time.run();
  expect(open.refused).toBe(0);
  expect(open.time.now()).toBeLessThan(4000 / 0.95);
});
