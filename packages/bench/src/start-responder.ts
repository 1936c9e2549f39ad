import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fieldsOf } from '@data-designer/core';

/** What the canned responder does. */
export interface ResponderOptions {
  /** Each answer is held back for so long. */
  readonly latencyMs: number;
  /** A text of 220 characters, one of 1,400, or 1 kB of JSON that keeps `REVIEW_SCHEMA`. */
  readonly answer: 'text' | 'long' | 'json';
  /** Requests at a time; further ones are answered with 429, without a `Retry-After`. */
  readonly stands: number;
}

/** What it has done: answers by second since its first request (with a latency only), and refusals. */
export interface ServedCounts {
  readonly perSecond: number[];
  refused: number;
}

/** A canned model server in a process of its own; `endpoint` is its base address. */
export interface Responder extends AsyncDisposable {
  readonly endpoint: string;
  /** Ends it, and gives what it has served. */
  readonly end: () => Promise<ServedCounts>;
}

const UNBOUND: ResponderOptions = { latencyMs: 0, answer: 'text', stands: Number.MAX_SAFE_INTEGER };

/** Starts the canned responder: text, at once, to everybody, unless said otherwise. */
export async function startResponder(options: Partial<ResponderOptions> = {}): Promise<Responder> {
  const program = fileURLToPath(new URL('./responder.ts', import.meta.url));
  const given = JSON.stringify({ ...UNBOUND, ...options });
  const child = spawn(process.execPath, [program, given], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the responder has ended');
    return JSON.parse(value);
  };
  const { url } = fieldsOf(await next());
  let ending: Promise<ServedCounts> | undefined;
  const end = async (): Promise<ServedCounts> => {
    child.stdin.end();
    const served = await next();
    await gone;
    return served as ServedCounts;
  };
  return {
    endpoint: String(url),
    end: () => (ending ??= end()),
    [Symbol.asyncDispose]: async () => void (await (ending ??= end())),
  };
}
