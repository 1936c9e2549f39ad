import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@data-designer/core';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { ChaosDataset, type MadeDataset, MAX_IN_FLIGHT } from '../../../bench/src/chaos/chaos-dataset.ts';
import { makeUndisturbed } from '../../../bench/src/chaos/run-kills.ts';
import { startRedis, type TestRedis } from '../start-redis.ts';
import { ChaosWorkflow, makeUndisturbedWorkflow } from './chaos-workflow.ts';
import { disturb, drawDisturbances } from './disturb.ts';
import { ChaosMachines, leaseOf } from './machines.ts';
import { type BoughtTwice, explain, readPurchases } from './purchases.ts';

// `npm run chaos -- cluster --times N --seed N`: processes stand for machines and make one dataset again and again, while machines
// are killed and frozen and Redis is emptied and restarted. Each dataset has a seed of its own: `--seed` with it repeats it alone.
// Every fifth is a workflow; with `npm run chaos -- flows` all of them are.

const SHAPE = { rows: 120, group: 6 };
const MACHINES = 3;
const [LEAST_MS, MOST_MS] = [60, 300];

/** What became of one dataset. */
interface Report {
  readonly happened: readonly string[];
  readonly faults: readonly string[];
  readonly answers: number;
  readonly boughtTwice: BoughtTwice;
}

/** What all datasets of this program share. */
interface Setting {
  readonly folder: string;
  readonly log: string;
  readonly simulator: RunningSimulator;
  readonly undisturbed: Kinds<MadeDataset & { readonly answers: number }>;
}

/** What datasets and workflows have each. */
interface Kinds<Each> {
  readonly dataset: Each;
  readonly workflow: Each;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function makeDisturbed(setting: Setting, seed: number): Promise<Report> {
  const { folder, log, simulator } = setting;
  const kind = kindOf(seed);
  const undisturbed = setting.undisturbed[kind];
  await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  const linesBefore = readPurchases(log, 0).length;
  await using redis: TestRedis = await startRedis();
  const dataset = open(kind, join(folder, `${seed}`), simulator);
  await using machines = new ChaosMachines(dataset, redis.address, {
    hasLinks: hasLinks(seed),
    leaseMs: leaseOf(seed),
  });
  for (let machine = 0; machine < MACHINES; machine++) machines.start();
  const disturbances = drawDisturbances(Random.of(seed, 'cluster'), undisturbed.answers);
  const parts = { machines, simulator, redis, disturbances, inFlightMs: MOST_MS + 100 };
  const faults: string[] = [];
  const happened = await disturb(parts).catch(async (failure: Error) => {
    faults.push(failure.message);
    await machines[Symbol.asyncDispose]();
    return [];
  });
  const stats = await simulator.stats();
  const purchases = readPurchases(log, 0).slice(linesBefore);
  const boughtTwice = explain(purchases, machines.stops);
  faults.push(...endsOf(machines), ...costsOf(boughtTwice, machines));
  if (stats.distinctAnswers !== undisturbed.answers) {
    faults.push(`${stats.distinctAnswers} requests were made, not ${undisturbed.answers}`);
  }
  faults.push(...(await dataset.differencesFrom(undisturbed).catch((failure: Error) => [failure.message])));
  if (faults.length === 0) rmSync(dataset.folder, { recursive: true });
  else faults.push(`it is in ${dataset.folder}`);
  return { happened, faults, answers: stats.answers, boughtTwice };
}

/** Every fifth dataset is a workflow, or all are. */
function kindOf(seed: number): keyof Kinds<unknown> {
  return onlyFlows || seed % 5 === 0 ? 'workflow' : 'dataset';
}

function open(kind: keyof Kinds<unknown>, path: string, { url }: RunningSimulator): ChaosDataset {
  return kind === 'workflow' ? new ChaosWorkflow(path, url) : new ChaosDataset(path, url, SHAPE);
}

/** Whether the file system of the machines has hard links: every fourth dataset is made without. */
function hasLinks(seed: number): boolean {
  return seed % 4 > 0;
}

/** Machines that ended otherwise than with the run. */
function endsOf({ all }: ChaosMachines): readonly string[] {
  return all.flatMap(({ name, state, ended }) => {
    if (state === 'killed' || ended?.code === 0) return [];
    const [said = ended?.stderr] = /Error[^]*$/.exec(ended?.stderr ?? '') ?? [];
    return [`${name} ended with ${ended?.code}: ${said?.slice(-1000)}`];
  });
}

function costsOf(boughtTwice: BoughtTwice, { stops }: ChaosMachines): readonly string[] {
  const most = stops.length * MAX_IN_FLIGHT;
  const { inFlight, afterWaking, unexplained } = boughtTwice;
  return [
    ...unexplained.map((line) => `bought twice without a reason: ${line}`),
    ...(inFlight + afterWaking > most
      ? [`${inFlight} + ${afterWaking} answers were bought twice, more than ${most}`]
      : []),
  ];
}

const [times = 0, firstSeed = 0] = process.argv.slice(2).map(Number);
const onlyFlows = process.argv[4] === 'flows';
const folder = mkdtempSync(join(tmpdir(), 'chaos-cluster-'));
const log = join(folder, 'requests.jsonl');
await using simulator = await startSimulator('--latency', `uniform:${LEAST_MS}:${MOST_MS}`, '--log', log);
const undisturbed = {
  dataset: await makeUndisturbed(new ChaosDataset(join(folder, 'undisturbed'), simulator.url, SHAPE), simulator),
  workflow: await makeUndisturbedWorkflow(new ChaosWorkflow(join(folder, 'flow'), simulator.url), simulator),
};
const setting = { folder, log, simulator, undisturbed };
const sums = { datasets: 0, identical: 0, disturbances: 0, answers: 0, inFlight: 0, afterWaking: 0 };
for (let seed = firstSeed; seed < firstSeed + times; seed++) {
  const begunAt = performance.now();
  const { happened, faults, answers, boughtTwice } = await makeDisturbed(setting, seed);
  const became = faults.length === 0 ? 'identical' : `DIFFERS: ${faults.join('; ')}`;
  const { inFlight, afterWaking } = boughtTwice;
  const bought = `bought twice: ${inFlight} in flight, ${afterWaking} after waking`;
  const seconds = Math.round((performance.now() - begunAt) / 1000);
  const links = hasLinks(seed) ? '' : ', without hard links';
  say(
    `${kindOf(seed)}, seed ${seed} (${seconds} s), lease ${leaseOf(seed)} ms${links}, ${happened.join(', ') || 'nothing happened'}; ${bought}: ${became}`,
  );
  sums.datasets++;
  sums.identical += faults.length === 0 ? 1 : 0;
  sums.disturbances += happened.length;
  sums.answers += answers;
  sums.inFlight += inFlight;
  sums.afterWaking += afterWaking;
}
say(
  `${sums.datasets} datasets, ${sums.disturbances} disturbances, ${sums.identical} identical, ${sums.answers} answers, ` +
    `bought twice: ${sums.inFlight} in flight, ${sums.afterWaking} after waking`,
);
if (sums.identical < sums.datasets) process.exitCode = 1;
else rmSync(folder, { recursive: true });
