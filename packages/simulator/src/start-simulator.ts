import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { simulatorProgram } from './programs.ts';
import type { Ledger } from './ledger.ts';

/** A model server in a process of its own, which ends when it is disposed or when this process does. */
export interface RunningSimulator extends AsyncDisposable {
  /** The address up to `/v1`, as a provider's endpoint. */
  readonly url: string;
  /** The address without `/v1`, where `/stats` is. */
  readonly origin: string;
  /** Posts a chat request, as an object or as the text of its body. */
  post(body: object | string, headers?: Record<string, string>): Promise<Response>;
  /** What `/stats` says. */
  stats(): Promise<Stats>;
  /** Holds every answer after so many more; a run that waits for them stands still until `release`. */
  holdAfter(answers: number): Promise<void>;
  /** Lets the answers go that are held, and holds others after so many more; by default, no others. */
  release(answers?: number): Promise<void>;
  /** Lets so many of those go that were held first; others stay held. */
  releaseHeld(answers: number): Promise<void>;
}

type Stats = Required<ReturnType<Ledger['summary']>>;

/** Starts the model server on a free port with further flags; resolves once it listens. */
export async function startSimulator(...flags: readonly string[]): Promise<RunningSimulator> {
  const conditions = simulatorProgram.endsWith('.ts') ? ['--conditions=@data-designer/source'] : [];
  const args = [...conditions, fileURLToPath(simulatorProgram), '--end-with-stdin', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer | number | null];
  if (!Buffer.isBuffer(line)) throw new Error(`The simulator ended with code ${line} before it listened.`);
  const { url } = JSON.parse(line.toString()) as { readonly url: string };
  const { origin } = new URL(url);
  return {
    url,
    origin,
    post(body, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return fetch(`${url}/chat/completions`, { method: 'POST', body: text, headers });
    },
    async stats() {
      return (await (await fetch(`${origin}/stats`)).json()) as Stats;
    },
    async holdAfter(answers) {
      await fetch(`${origin}/hold?after=${answers}`, { method: 'POST' });
    },
    async release(answers) {
      await fetch(`${origin}/release${answers === undefined ? '' : `?after=${answers}`}`, { method: 'POST' });
    },
    async releaseHeld(answers) {
      await fetch(`${origin}/release?held=${answers}`, { method: 'POST' });
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
