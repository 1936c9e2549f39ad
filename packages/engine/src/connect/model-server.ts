import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { modelProvider, type Providers } from '@data-designer/config';
import {
  compileCacheEnvironment,
  DataDesignerError,
  fieldsOf,
  type Plan,
  sourceExecArgv,
  stringOf,
  tryParse,
} from '@data-designer/core';

/** A model provider that this tool starts when a plan uses it, and ends with the run. */
export interface ModelServer {
  readonly name: string;
  /** Address of its entry file. It prints `{"url": "http://…"}` when it listens, and ends when its stdin does. */
  readonly program: string;
  readonly args: readonly string[];
}

/** How long a server may take to listen. */
const START_MS = 60_000;
/** How long it may take to end by itself before it is killed. */
const END_MS = 2_000;

/** Starts the servers that the plan uses and no other provider serves, and adds them; disposing the result ends them. */
export async function startModelServers(
  plan: Plan,
  { providers, modelServers }: { readonly providers: Providers; readonly modelServers: readonly ModelServer[] },
): Promise<AsyncDisposable & { readonly providers: Providers }> {
  const used = new Set(plan.resources.filter(({ kind }) => kind === 'model').map(({ provider }) => provider));
  for (const { name } of providers.models) used.delete(name);
  const wanted = modelServers.filter(({ name }) => used.has(name));
  const started = await Promise.allSettled(wanted.map(startModelServer));
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const end = async () => void (await Promise.all(running.map((server) => server[Symbol.asyncDispose]())));
  const failure = started.find((result) => result.status === 'rejected');
  if (failure) {
    await end();
    throw failure.reason;
  }
  const models = running.map(({ name, endpoint }) => modelProvider.parse({ name, endpoint }));
  return { providers: { ...providers, models: [...providers.models, ...models] }, [Symbol.asyncDispose]: end };
}

/** A server that is listening; disposing closes its stdin, at which it exits, and kills one that stays. */
interface RunningModelServer extends AsyncDisposable {
  readonly name: string;
  readonly endpoint: string;
}

/** Starts the program on a free loopback port; throws `run/provider-failed` with its output. */
async function startModelServer({ name, program, args }: ModelServer): Promise<RunningModelServer> {
  const child = spawn(process.execPath, [...sourceExecArgv(program), fileURLToPath(program), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...compileCacheEnvironment() },
  });
  try {
    return { name, endpoint: await readEndpoint(child, name), [Symbol.asyncDispose]: () => endServer(child) };
  } catch (failure) {
    child.kill('SIGKILL');
    throw failure;
  }
}

async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await gone;
  clearTimeout(timer);
}

/** Waits for the line with the server's address. */
function readEndpoint(child: ChildProcess, provider: string): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new DataDesignerError('run/provider-failed', { provider, reason }));
    };
    const timer = setTimeout(() => fail(`it did not listen within ${START_MS / 1000} s. ${said.trim()}`), START_MS);
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-2000);
    });
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code) => fail(`it ended with exit code ${code}. ${said.trim()}`));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.once('line', (line) => {
      clearTimeout(timer);
      const url = stringOf(fieldsOf(tryParse(line, JSON.parse)).url);
      if (url === null) fail(`it printed '${line.slice(0, 200)}' instead of its address`);
      else resolve(url);
    });
  });
}
