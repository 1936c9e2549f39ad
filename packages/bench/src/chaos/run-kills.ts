import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@data-designer/core';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { ChaosDataset, type MadeDataset, MAX_IN_FLIGHT } from './chaos-dataset.ts';
import { type AnswersByGroup, answersByGroup } from './stored-answers.ts';
import { type KilledDataset, makeKilled } from './killed-dataset.ts';
import { startCommand } from './start-command.ts';

/** How often, and by which random moments. */
export interface KillsOptions {
  readonly times: number;
  readonly seed: number;
  /** Told of each dataset when it is whole. */
  readonly tell: (report: DatasetReport) => void;
}

/** What became of one dataset. */
export interface DatasetReport extends KilledDataset {
  readonly number: number;
  /** What is not as in the undisturbed dataset, or is left over: one sentence each. */
  readonly faults: readonly string[];
  /** Answers of the model that were bought, and how many of them more than are needed. */
  readonly answers: number;
  readonly boughtTwice: number;
}

/** The dataset of a run that nobody disturbed. */
export interface UndisturbedDataset extends MadeDataset {
  readonly usage: string;
  readonly answers: number;
  readonly taken: AnswersByGroup;
  readonly startMs: number;
}

/** Makes the same dataset again and again, killing its runs; datasets that are not as they should be are kept. */
export async function runKills({ times, seed, tell }: KillsOptions): Promise<readonly DatasetReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  await using simulator = await startSimulator('--latency', 'uniform:20:120', '--log', join(folder, 'requests.jsonl'));
  const undisturbed = await makeUndisturbed(new ChaosDataset(join(folder, 'undisturbed'), simulator.url), simulator);
  const random = Random.of(seed, 'kills');
  const reports: DatasetReport[] = [];
  for (let number = 0; number < times; number++) {
    await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
    const dataset = new ChaosDataset(join(folder, `${number}`), simulator.url);
    const { startMs, taken } = undisturbed;
    const killed = await makeKilled(dataset, { simulator, random: random.at(number), startMs, taken });
    const report = await reportOn(dataset, { number, killed, undisturbed, simulator });
    if (report.faults.length === 0) rmSync(dataset.folder, { recursive: true });
    tell(report);
    reports.push(report);
  }
  if (reports.every(({ faults }) => faults.length === 0)) rmSync(folder, { recursive: true });
  return reports;
}

/** Makes the dataset that others are compared with. */
export async function makeUndisturbed(dataset: ChaosDataset, simulator: RunningSimulator): Promise<UndisturbedDataset> {
  const started = performance.now();
  const run = startCommand(dataset.command);
  const ended = run.finished.then(() => true);
  while ((await simulator.stats()).requests === 0) if (await Promise.race([ended, sleep(10)])) break;
  const startMs = performance.now() - started;
  const { code, stderr } = await run.finished;
  if (code !== 0) throw new Error(`the undisturbed run ended with code ${code}: ${stderr}`);
  const { answers } = await simulator.stats();
  const taken = answersByGroup(dataset.path);
  return { rows: await dataset.rows(), files: dataset.files(), usage: dataset.usage(), answers, taken, startMs };
}

interface Finished {
  readonly number: number;
  readonly killed: KilledDataset;
  readonly undisturbed: UndisturbedDataset;
  readonly simulator: RunningSimulator;
}

async function reportOn(dataset: ChaosDataset, finished: Finished): Promise<DatasetReport> {
  const { number, killed, undisturbed, simulator } = finished;
  const { answers, distinctAnswers } = await simulator.stats();
  const boughtTwice = answers - undisturbed.answers;
  const inFlight = killed.kills.reduce((sum, kill) => sum + kill.inFlight, 0);
  const faults = [
    ...(await dataset.differencesFrom(undisturbed)),
    dataset.usage() !== undisturbed.usage && `its usage is ${dataset.usage()}`,
    distinctAnswers !== undisturbed.answers && `${distinctAnswers} requests were made, not ${undisturbed.answers}`,
    boughtTwice > inFlight && `${boughtTwice} answers were bought twice, with ${inFlight} in flight at the kills`,
    killed.kills.some((kill) => kill.inFlight > MAX_IN_FLIGHT) &&
      'more was lost at a kill than can have been in flight',
    killed.survivors.length > 0 && `processes live on: ${killed.survivors.join(', ')}`,
  ].filter((fault) => fault !== false);
  const where = faults.length > 0 ? [`it is in ${dataset.folder}`] : [];
  return { number, ...killed, answers, boughtTwice, faults: [...faults, ...where] };
}
