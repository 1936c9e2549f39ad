import { createReadStream, writeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { messageOf, parseJson, stringifyJson } from '@data-designer/core';
import { failedRun } from './engine.ts';
import { ENGINES } from './engines.ts';
import type { AnyEngineName } from './engine-names.ts';
import type { Check, Ran, Run, RunLimits } from './run.ts';

// The process of a sandbox: it reads checks as lines of JSON, and writes a line when it is ready, one when it begins a check, and
// one for each run. It
// ends with its input or its parent.

const [name, work, parent] = process.argv.slice(2) as [AnyEngineName, 'run' | 'prepare', string];
/** The pipe of what an engine has prepared: one process writes it, and others read it. */
const PREPARED = 3;

/** Ends the process where its parent has ended, also while its own thread is busy: signal 0 asks for a process. */
const WATCH = `
const parent = ${Number(parent)};
setInterval(() => {
  try {
    process.kill(parent, 0);
    if (process.ppid === parent) return;
  } catch {}
  process.kill(process.pid, 'SIGKILL');
}, 500);
`;

function write(line: unknown): void {
  process.stdout.write(`${stringifyJson(line)}\n`);
}

async function answer(
  program: Awaited<ReturnType<(typeof ENGINES)[AnyEngineName]['open']>>,
  run: Run,
  limits: RunLimits,
) {
  const since = performance.now();
  const ran = await program(run, limits);
  write({ ...ran, ms: performance.now() - since } satisfies Ran);
}

try {
  const { open, prepare, blocks } = ENGINES[name];
  if (blocks) new Worker(WATCH, { eval: true, stdin: false }).unref();
  if (work === 'prepare') {
    const prepared = (await prepare?.()) ?? new Uint8Array();
    for (let at = 0; at < prepared.length;) at += writeSync(PREPARED, prepared, at);
    process.exit(0);
  }
  const program = await open(prepare ? await buffer(createReadStream('', { fd: PREPARED })) : new Uint8Array());
  write({ ready: true });
  let text = '';
  let last = Promise.resolve();
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (part: string) => {
    const lines = (text + part).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const { runs, limits } = parseJson(line) as unknown as Check;
      last = last.then(async () => {
        write({ begun: true });
        for (const run of runs) await answer(program, run, limits);
      });
      // Whatever an engine cannot answer may have left it unusable.
      last.catch((thrown: unknown) => {
        write({ ...failedRun({ kind: 'sandbox', message: messageOf(thrown) }), ms: 0 });
        process.exit(1);
      });
    }
  });
  // An orderly exit would wait for a query in another thread.
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
} catch (thrown) {
  write({ unusable: messageOf(thrown) });
  process.exit(1);
}
