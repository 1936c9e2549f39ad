import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@data-designer/core';
import type { RunningSimulator } from '@data-designer/simulator';
import type { ChaosDataset } from './chaos-dataset.ts';
import { Descendants } from './descendants.ts';
import { type AnswersByGroup, storedAnswers } from './stored-answers.ts';
import { startCommand, type StartedCommand } from './start-command.ts';

/** Kills of one dataset, at most. */
const MAX_KILLS = 3;
/** How often a run that goes on after a kill is killed again. */
const KILLED_AGAIN = 0.4;
/** Most of a short run is its start: most kills come later. */
const IN_START = 0.2;
/** About as long as an answer takes. */
const ANSWER_MS = 70;
/** How often is looked how many requests there were. */
const LOOK_MS = 5;

/** When a run is killed: so long after so many requests of its own, which says more on a busy machine than a time alone. */
interface Moment {
  readonly requests: number;
  readonly ms: number;
}

/** One kill: when, and how many answers were bought and not stored yet. */
interface Kill extends Moment {
  readonly inFlight: number;
}

/** What making a dataset with kills took. */
export interface KilledDataset {
  readonly kills: readonly Kill[];
  readonly resumes: number;
  /** Numbers of processes that outlived their run. */
  readonly survivors: readonly number[];
}

/** What a dataset is killed with. */
export interface KillOptions {
  readonly simulator: RunningSimulator;
  readonly random: Random;
  /** How long an undisturbed run takes to its first request. */
  readonly startMs: number;
  /** What its row groups take. */
  readonly taken: AnswersByGroup;
}

/** Makes a dataset, killing its run at random moments and going on, until it is whole. Throws where a run fails. */
export async function makeKilled(dataset: ChaosDataset, options: KillOptions): Promise<KilledDataset> {
  const { random } = options;
  const kills: Kill[] = [];
  const survivors: number[] = [];
  for (let runs = 0; ; runs++) {
    const spared = kills.length === MAX_KILLS || (kills.length > 0 && random.float() >= KILLED_AGAIN);
    const moment = spared ? undefined : await drawMoment(dataset, options);
    const run = startCommand(dataset.command);
    using descendants = new Descendants(run.child.pid ?? -1);
    const ended = await (moment ? endedBefore(run, moment, options) : run.finished);
    if (moment && !ended) kills.push({ ...moment, inFlight: await kill(run, dataset, { ...options, kills }) });
    survivors.push(...(await descendants.survivors()));
    if (ended?.code === 0) return { kills, resumes: runs, survivors };
    if (ended) throw new Error(`run ${runs + 1} in ${dataset.folder} ended with code ${ended.code}: ${ended.stderr}`);
  }
}

async function drawMoment({ path }: ChaosDataset, { random, startMs, taken }: KillOptions): Promise<Moment> {
  if (random.float() < IN_START) return { requests: 0, ms: Math.round(startMs * random.float()) };
  const needed = [...taken.values()].reduce((sum, answers) => sum + answers, 0);
  return { requests: 1 + random.below(needed - (await storedAnswers(path, taken))), ms: random.below(ANSWER_MS) };
}

/** How a run ended, if it did before its moment. */
async function endedBefore({ child, finished }: StartedCommand, { requests, ms }: Moment, { simulator }: KillOptions) {
  const wanted = (await simulator.stats()).requests + requests;
  while (child.exitCode === null && (await simulator.stats()).requests < wanted) await sleep(LOOK_MS);
  return Promise.race([finished, sleep(ms, undefined)]);
}

/**
 * Kills a run, once the server has sent all that was under way: nobody gets it any more, and it is paid for, which is the
 * worst that a kill can do. Gives how many answers were lost to it.
 */
async function kill(
  { child, finished }: StartedCommand,
  dataset: ChaosDataset,
  { simulator, taken, kills }: KillOptions & { readonly kills: readonly Kill[] },
): Promise<number> {
  child.kill('SIGSTOP');
  while ((await simulator.stats()).inFlight > 0) await sleep(10);
  const { answers } = await simulator.stats();
  child.kill('SIGKILL');
  await finished;
  const lostBefore = kills.reduce((sum, { inFlight }) => sum + inFlight, 0);
  return answers - (await storedAnswers(dataset.path, taken)) - lostBefore;
}
