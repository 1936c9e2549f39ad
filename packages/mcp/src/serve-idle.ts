import type { ServerResponse } from 'node:http';

/** A session that can be ended. */
interface Closable {
  readonly close: () => Promise<void>;
}

interface Kept<Session> {
  readonly session: Session;
  /** Requests of it that are being answered. */
  busy: number;
  /** When the last of them was, by the clock of `performance`. */
  usedAt: number;
}

/** Sessions are looked at so often, or as often as they may be idle. */
const LOOK_EVERY_MS = 60_000;

/** Sessions by their ids; one that is not used for a while is closed. */
export class IdleSessions<Session extends Closable> {
  readonly #kept = new Map<string, Kept<Session>>();
  readonly #idleMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.#timer = setInterval(() => this.#closeIdle(), Math.min(idleMs, LOOK_EVERY_MS)).unref();
  }

  get size(): number {
    return this.#kept.size;
  }

  add(id: string, session: Session): void {
    this.#kept.set(id, { session, busy: 0, usedAt: performance.now() });
  }

  /** The session of an id, in use until the response is finished or cut off. */
  use(id: string, response: ServerResponse): Session | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    kept.busy++;
    response.once('close', () => {
      kept.busy--;
      kept.usedAt = performance.now();
    });
    return kept.session;
  }

  delete(id: string): void {
    this.#kept.delete(id);
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(all.map(({ session }) => session.close()));
  }

  #closeIdle(): void {
    for (const [id, { session, busy, usedAt }] of this.#kept) {
      if (busy > 0 || performance.now() - usedAt < this.#idleMs) continue;
      this.#kept.delete(id);
      session.close().catch(() => {});
    }
  }
}
