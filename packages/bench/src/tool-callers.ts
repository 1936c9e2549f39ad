import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { MCPProvider } from '@data-designer/config';
import { GatewayHost } from '@data-designer/gateway';
import type { LanesTask } from './tool-lanes.ts';

/** Somebody who calls a trivial tool, so many calls at a time. */
export interface ToolCaller extends AsyncDisposable {
  /** Makes so many calls; resolves when all are answered. */
  readonly call: (calls: number) => Promise<unknown>;
}

/** Where the server is, by address or by program, and how many calls at a time. */
type SdkJob = { readonly inFlight: number } & (
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[] }
);

const SDK_LOOP = fileURLToPath(new URL('../../mcp/test/sdk-loop.ts', import.meta.url));

/** The SDK's own client on one thread, in a process of its own. */
export function openSdkCaller(job: SdkJob): ToolCaller {
  const child = spawn(process.execPath, [SDK_LOOP, JSON.stringify(job)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the loop ended with code ${code}`)));
  ended.catch(() => {});
  const call = (calls: number): Promise<unknown> => {
    child.stdin.write(`${calls}\n`);
    return Promise.race([once(lines, 'line'), ended]);
  };
  const end = async (): Promise<void> => {
    child.stdin.end();
    await ended.catch(() => {});
  };
  return { call, [Symbol.asyncDispose]: end };
}

/** Worker threads that share the one session of an I/O thread, with journals, as in a run. */
export async function openGatewayCaller(
  provider: MCPProvider,
  { inFlight, threads: count }: { readonly inFlight: number; readonly threads: number },
): Promise<ToolCaller> {
  const id = `tools/${provider.name}`;
  const resource = { id, kind: 'tools', provider: provider.name, limit: inFlight, pool: id } as const;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const providers = { models: [], tools: [provider] };
  const host = await GatewayHost.open({ resources: [resource], providers, frozen: {} });
  await host.listTools(provider.name);
  const threads = Array.from({ length: count }, (_, group) => {
    const thread = new Worker(new URL('./tool-lanes.ts', import.meta.url));
    const port = host.openGroup(group, join(folder, `${group}`));
    thread.postMessage({ port, resource: id, inFlight: inFlight / count } satisfies LanesTask, [port]);
    return thread;
  });
  const call = (calls: number): Promise<unknown> =>
    Promise.all(
      threads.map((thread) => {
        const done = once(thread, 'message');
        thread.postMessage(calls / count);
        return done;
      }),
    );
  const end = async (): Promise<void> => {
    await Promise.all(threads.map((thread) => thread.terminate()));
    await host[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  };
  return { call, [Symbol.asyncDispose]: end };
}
