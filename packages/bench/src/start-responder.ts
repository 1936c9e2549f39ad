import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A canned model server in a process of its own; `endpoint` is its base address. */
export interface Responder extends AsyncDisposable {
  readonly endpoint: string;
}

/** Starts the canned responder, each answer held back for `latencyMs`. */
export async function startResponder(latencyMs: number): Promise<Responder> {
  const program = fileURLToPath(new URL('./responder.ts', import.meta.url));
  const child = spawn(process.execPath, [program, String(latencyMs)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the responder ended with exit code ${code}`)));
  });
  return {
    endpoint: (JSON.parse(line) as { url: string }).url,
    [Symbol.asyncDispose]: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await gone;
    },
  };
}
