import type { ServerResponse } from 'node:http';

/** A session that can be ended. */
interface Closable {
  readonly close: () => Promise<void>;
}

interface OpenSession<Session> {
  readonly session: Session;
  /** Its requests in progress. */
  busy: number;
  /** The end of its last request, by the clock of `performance`. */
  usedAt: number;
}

/** The longest interval between checks. */
const CHECK_EVERY_MS = 60_000;

/** Sessions by id; closes those that are idle for too long. */
export class IdleSessions<Session extends Closable> {
  readonly #open = new Map<string, OpenSession<Session>>();
  readonly #idleMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.#timer = setInterval(() => this.#closeIdle(), Math.min(idleMs, CHECK_EVERY_MS)).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  add(id: string, session: Session): void {
    this.#open.set(id, { session, busy: 0, usedAt: performance.now() });
  }

  /** The session of an id, in use until the response is finished or cut off. */
  use(id: string, response: ServerResponse): Session | undefined {
    const open = this.#open.get(id);
    if (open === undefined) return undefined;
    open.busy++;
    response.once('close', () => {
      open.busy--;
      open.usedAt = performance.now();
    });
    return open.session;
  }

  delete(id: string): void {
    this.#open.delete(id);
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map(({ session }) => session.close()));
  }

  #closeIdle(): void {
    for (const [id, { session, busy, usedAt }] of this.#open) {
      if (busy > 0 || performance.now() - usedAt < this.#idleMs) continue;
      this.#open.delete(id);
      session.close().catch(() => {});
    }
  }
}
