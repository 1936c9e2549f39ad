import { messageOf, parseJson, stringifyJson } from '@data-designer/core';
import { failedRun } from './engine.ts';
import { ENGINES } from './engines.ts';
import type { EngineName } from './engine-names.ts';
import type { Check, Ran, Run, RunLimits } from './run.ts';

// The process of a sandbox: it reads checks as lines of JSON, and writes a line when it is ready and one for each run. It
// ends with its input, so that none is left where its parent was killed.

const name = process.argv[2] as EngineName;

function write(line: unknown): void {
  process.stdout.write(`${stringifyJson(line)}\n`);
}

async function answer(program: Awaited<ReturnType<(typeof ENGINES)[EngineName]['open']>>, run: Run, limits: RunLimits) {
  const since = performance.now();
  const ran = await program(run, limits);
  write({ ...ran, ms: performance.now() - since } satisfies Ran);
}

try {
  const program = await ENGINES[name].open();
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
        for (const run of runs) await answer(program, run, limits);
      });
      // Whatever an engine cannot answer may have left it unusable.
      last.catch((thrown: unknown) => {
        write({ ...failedRun({ kind: 'sandbox', message: messageOf(thrown) }), ms: 0 });
        process.exit(1);
      });
    }
  });
  process.stdin.on('end', () => process.exit(0));
} catch (thrown) {
  write({ unusable: messageOf(thrown) });
  process.exit(1);
}
