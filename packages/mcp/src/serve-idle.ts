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
export function idleSessions<Session extends Closable>(idleMs: number) {
  const all = new Map<string, OpenSession<Session>>();
  const closeIdle = (): void => {
    for (const [id, { session, busy, usedAt }] of all) {
      if (busy > 0 || performance.now() - usedAt < idleMs) continue;
      all.delete(id);
      session.close().catch(() => {});
    }
  };
  const timer = setInterval(closeIdle, Math.min(idleMs, CHECK_EVERY_MS)).unref();
  return {
    count: () => all.size,
    add: (id: string, session: Session) => void all.set(id, { session, busy: 0, usedAt: performance.now() }),
    /** The session of an id, in use until the response is finished or cut off. */
    use: (id: string, response: ServerResponse): Session | undefined => {
      const open = all.get(id);
      if (open === undefined) return undefined;
      open.busy++;
      response.once('close', () => {
        open.busy--;
        open.usedAt = performance.now();
      });
      return open.session;
    },
    delete: (id: string) => void all.delete(id),
    closeAll: async (): Promise<void> => {
      clearInterval(timer);
      const left = [...all.values()];
      all.clear();
      await Promise.all(left.map(({ session }) => session.close()));
    },
  };
}
