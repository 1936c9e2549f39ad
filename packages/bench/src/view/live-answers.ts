import { setTimeout } from 'node:timers/promises';
import { DataDesigner } from 'data-designer';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import type { BenchRow } from '../spine.ts';
import { openPage, quantile, startViewer } from './open-page.ts';

const SETTLE_MS = 2000;

/** A run with one column of a model at a simulator. */
interface BenchedRun {
  readonly simulator: RunningSimulator;
  readonly rows: number;
  readonly name: string;
  readonly permits: number;
}

/** Makes a dataset; `onFolder` is called when it has one. */
async function makeRows(home: string, run: BenchedRun, onFolder: (folder: string) => void): Promise<void> {
  const { simulator, rows, name, permits } = run;
  const models = [{ name: 'benched', endpoint: simulator.url }];
  await using designer = new DataDesigner({ artifactPath: home, providers: { models } });
  const limit = { max_parallel_requests: permits };
  const document = {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'benched', inference_parameters: limit }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'answer', column_type: 'llm-text', model_alias: 'writer', prompt: 'About {{ id }}' },
    ],
  };
  await designer.create(
    { document, source: 'bench' },
    {
      numRecords: rows,
      datasetName: name,
      onEvent: (event) => {
        if (event.type === 'run-start') onFolder(event.path);
      },
    },
  );
}

/** The time from the server's answer to its text on the Live page. */
export async function liveAnswers(home: string, times: number): Promise<readonly BenchRow[]> {
  await using simulator = await startSimulator('--latency', '0');
  await simulator.holdAfter(0);
  const folder = Promise.withResolvers<string>();
  const run = { simulator, rows: (times + 2) * 8, name: 'live', permits: 8 };
  const made = makeRows(home, run, folder.resolve);
  await using viewer = await startViewer(await folder.promise);
  await using opened = await openPage(viewer.address);
  const { page } = opened;
  await page.evaluate(() => void (location.hash = '#/live'));
  await page.waitForSelector('.answers');
  const visibleMs: number[] = [];
  for (let time = 0; time < times; time++) {
    // A run that has got its answers sends its next requests, which are held.
    while ((await simulator.stats()).inFlight === 0) await page.waitForNetworkIdle({ idleTime: 20, concurrency: 2 });
    const before = await page.$eval('.answers', (list) => list.textContent);
    const begunAt = performance.now();
    await simulator.release(0);
    await page.waitForFunction(
      (text) => document.querySelector('.answers')?.textContent !== text,
      { polling: 'mutation' },
      before,
    );
    visibleMs.push(performance.now() - begunAt);
  }
  await simulator.release();
  await made;
  return [
    { what: 'from an answer to its text on the Live page, median', figures: { ms: quantile(visibleMs, 0.5) } },
    { what: 'the same, 95th percentile', figures: { ms: quantile(visibleMs, 0.95) } },
  ];
}

/** The time of a run with its overview in a browser, against one that nobody watches, in alternating pairs. */
export async function watchedRuns(
  home: string,
  { pairs, rows }: { readonly pairs: number; readonly rows: number },
): Promise<readonly BenchRow[]> {
  await using simulator = await startSimulator('--latency', '100');
  const ratios: { readonly time: number; readonly cpu: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const taken = new Map<boolean, { readonly ms: number; readonly cpuMs: number }>();
    for (const isWatched of pair % 2 === 0 ? [true, false] : [false, true]) {
      taken.set(
        isWatched,
        await runOnce(
          home,
          { simulator, rows, name: `pair-${pair}-${isWatched ? 'watched' : 'alone'}`, permits: 64 },
          isWatched,
        ),
      );
    }
    const [watched, alone] = [taken.get(true), taken.get(false)];
    if (watched && alone) ratios.push({ time: watched.ms / alone.ms, cpu: watched.cpuMs / alone.cpuMs });
  }
  const median = (of: 'time' | 'cpu') =>
    quantile(
      ratios.map((ratio) => ratio[of]),
      0.5,
    );
  return [
    {
      what: 'a watched run against one alone, median of pairs',
      figures: { 'of its time': median('time'), 'of its CPU': median('cpu') },
    },
  ];
}

/** One run; the viewer and the browser have started before its first answer. */
async function runOnce(home: string, run: BenchedRun, isWatched: boolean): Promise<{ ms: number; cpuMs: number }> {
  const { simulator, permits } = run;
  await simulator.holdAfter(0);
  const folder = Promise.withResolvers<string>();
  const made = makeRows(home, run, folder.resolve);
  await using watching = new AsyncDisposableStack();
  const path = await folder.promise;
  if (isWatched) {
    const { address } = watching.use(await startViewer(path));
    watching.use(await openPage(address));
  }
  while ((await simulator.stats()).inFlight < permits) await setTimeout(50);
  // Until the start of the browser is over.
  await setTimeout(SETTLE_MS);
  const before = process.cpuUsage();
  const begunAt = performance.now();
  await simulator.release();
  await made;
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - begunAt, cpuMs: (user + system) / 1000 };
}
