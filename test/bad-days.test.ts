import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DataDesigner, defineTool } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataDesigner, runCommand, startDataDesigner } from './command-line.ts';
import { countedDataset, type CountedDataset, IN_FLIGHT, NAME, ROWS, rowsBelow } from './counted-dataset.ts';
import { toolColumn } from './tool-column.ts';

let folder: string;
let dataset: CountedDataset;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bad-days-'));
  dataset = await countedDataset(folder, '--latency', '100');
});

afterEach(async () => {
  await dataset[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits for so many answers, of which there are few more until the server lets them go. */
async function untilHeldAfter(answers: number): Promise<void> {
  await dataset.simulator.holdAfter(answers + IN_FLIGHT);
  while ((await dataset.simulator.stats()).answers < answers) await sleep(40);
}

test(
  'SIGTERM waits for open requests, and the resume repeats none of them',
  { timeout: 300_000, tags: 'long' },
  async () => {
    const run = startDataDesigner(dataset.create(folder));
    await untilHeldAfter(20);
    run.child.kill('SIGTERM');
    while (!run.said().includes('press Ctrl-C again to stop now')) await sleep(5);
    await dataset.simulator.release();
    const { code, stderr } = await run.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /^Interrupted\. \d+ of \d+ rows and \d+ answers are saved; continue with: npx data-designer create .* --resume always$/m,
    );
    expect(await runCommand(dataset.create(folder, '-r', 'always'))).toMatchObject({ code: 0 });
    const { answers, distinctAnswers } = await dataset.simulator.stats();
    expect(answers).toBe(distinctAnswers);
    expect(await rowsBelow(folder)).toHaveLength(ROWS);
  },
);

test(
  'a second Ctrl-C ends at once, and the resume repeats only the open requests',
  { timeout: 300_000, tags: 'long' },
  async () => {
    const run = startDataDesigner(dataset.create(folder));
    await untilHeldAfter(20);
    run.child.kill('SIGINT');
    while (!run.said().includes('press Ctrl-C again to stop now')) await sleep(5);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.finished;
    await dataset.simulator.release();
    expect(code).toBe(130);
    expect(stderr).not.toContain('Error');
    expect(stderr).toMatch(
      /\d+ of \d+ rows and \d+ answers are saved; continue with: npx data-designer create .*--resume always/,
    );
    expect(readdirSync(join(folder, NAME, 'journal')).length).toBeGreaterThan(0);
    expect(await runCommand(dataset.create(folder, '-r', 'always'))).toMatchObject({ code: 0 });
    const { answers, distinctAnswers } = await dataset.simulator.stats();
    expect(answers - distinctAnswers).toBeLessThanOrEqual(IN_FLIGHT);
    expect(await rowsBelow(folder)).toHaveLength(ROWS);
  },
);

/** A module that sets the clock back by an hour, again and again, in every thread that loads it. */
const CLOCK = `
import { threadId } from 'node:worker_threads';
const { now } = Date;
let back = 0;
Date.now = () => now() - back;
setInterval(() => (back += 3_600_000), 150).unref();
process.stderr.write(\`clock of thread \${threadId}\\n\`);
`;

for (const { kind, isKilled } of [
  { kind: 'run', isKilled: false },
  { kind: 'killed and resumed run', isKilled: true },
])
  test(
    `a clock that jumps back neither delays a ${kind} nor changes its rows`,
    { timeout: 300_000, tags: 'long' },
    async () => {
      const preload = join(folder, 'clock.mjs');
      writeFileSync(preload, CLOCK);
      const jumping = { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
      const place = join(folder, 'jumping');
      if (isKilled) {
        const run = startDataDesigner(dataset.create(place), jumping);
        await untilHeldAfter(20);
        run.child.kill('SIGKILL');
        await run.finished;
        await dataset.simulator.release();
      }
      const resume = isKilled ? ['-r', 'always'] : [];
      const { code, stderr } = await dataDesigner(dataset.create(place, ...resume), jumping);
      expect(code).toBe(0);
      expect(stderr).toMatch(/clock of thread [1-9]/);
      expect(stderr).toMatch(new RegExp(`${ROWS} records in \\d+\\.\\d s`));
      const { answers, distinctAnswers } = await dataset.simulator.stats();
      expect(answers - distinctAnswers).toBeLessThanOrEqual(isKilled ? IN_FLIGHT : 0);
      expect(await runCommand(dataset.create(folder))).toMatchObject({ code: 0 });
      expect(await rowsBelow(place)).toEqual(await rowsBelow(folder));
    },
  );

test(
  'a function that blocks the host for 10 s loses no row and no answer',
  { tags: 'long', timeout: 300_000 },
  async () => {
    let calls = 0;
    const tool = defineTool({
      name: 'think_hard',
      parameters: { type: 'object', properties: {} },
      execute: () => {
        if (++calls === 5) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
        return 'thought';
      },
    });
    const model = { endpoint: dataset.simulator.url, providerType: 'openai', apiKey: null } as const;
    await using designer = new DataDesigner({
      artifactPath: folder,
      providers: {
        models: [{ name: 'counted', ...model, extraBody: null, extraHeaders: null }],
        tools: [{ name: 'mine', providerType: 'local', tools: [tool] }],
      },
      runConfig: { seed: 4, bufferSize: 6 },
    });
    const results = await designer.create(toolColumn('think_hard', { provider: 'counted', timeoutSec: 3 }), {
      numRecords: 24,
      datasetName: 'blocked',
    });
    expect([results.count, results.lost]).toEqual([24, []]);
    const { answers, distinctAnswers, byStatus } = await dataset.simulator.stats();
    expect(answers).toBe(distinctAnswers);
    expect(Object.keys(byStatus)).toEqual(['200']);
    expect(results.tools.think_hard).toMatchObject({ errors: 0, timeouts: 0 });
  },
);
