import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from '@data-designer/simulator';
import { ChaosDataset } from './chaos-dataset.ts';
import { makeUndisturbed } from './run-kills.ts';
import { startCommand } from './start-command.ts';

/** Runs of one dataset whose threads are terminated, at most; the next one is left alone. */
const DISTURBED_RUNS = 3;
/** A run that takes longer hangs: an undisturbed one takes seconds, and the pool gives up within one minute. */
const HANG_MS = 180_000;
/** How a run may end that lost its threads. */
const NAMED_END = /\[run\/(?:workers-lost|worker-lost|gateway-lost)\]/;

/** How often, and by which random moments. */
export interface WorkersOptions {
  readonly times: number;
  readonly seed: number;
  /** Told of each dataset when it is whole. */
  readonly tell: (report: WorkersReport) => void;
}

/** What became of one dataset whose threads were terminated. */
export interface WorkersReport {
  readonly number: number;
  readonly runs: number;
  /** Threads that were terminated, and those of them that were just starting. */
  readonly terminated: number;
  readonly whileStarting: number;
  /** Runs that ended with the named error of a lost thread. */
  readonly namedEnds: number;
  /** What is not as in the undisturbed dataset, or went wrong meanwhile: one sentence each. */
  readonly faults: readonly string[];
}

/** Makes the same dataset again and again, terminating its threads; datasets that are not as they should be are kept. */
export async function runWorkers({ times, seed, tell }: WorkersOptions): Promise<readonly WorkersReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  await using simulator = await startSimulator('--latency', 'uniform:20:120');
  const undisturbed = await makeUndisturbed(new ChaosDataset(join(folder, 'undisturbed'), simulator.url), simulator);
  const reports: WorkersReport[] = [];
  for (let number = 0; number < times; number++) {
    const dataset = new ChaosDataset(join(folder, `${number}`), simulator.url);
    const made = await makeDisturbed(dataset, { seed: seed + number });
    const faults = [
      ...made.faults,
      ...(made.isWhole ? await dataset.differencesFrom(undisturbed) : ['it is not whole']),
    ];
    const { terminated, whileStarting } = terminations(logOf(dataset));
    if (faults.length === 0) rmSync(dataset.folder, { recursive: true });
    else faults.push(`it is in ${dataset.folder}`);
    const report = { number, runs: made.runs, terminated, whileStarting, namedEnds: made.namedEnds, faults };
    tell(report);
    reports.push(report);
  }
  if (reports.every(({ faults }) => faults.length === 0)) rmSync(folder, { recursive: true });
  return reports;
}

const logOf = ({ folder }: ChaosDataset): string => join(folder, 'terminated.jsonl');

interface Disturbed {
  readonly runs: number;
  readonly namedEnds: number;
  readonly isWhole: boolean;
  readonly faults: readonly string[];
}

/** Makes a dataset, its threads terminated in the first runs, and goes on until it is whole. */
async function makeDisturbed(dataset: ChaosDataset, { seed }: { readonly seed: number }): Promise<Disturbed> {
  let namedEnds = 0;
  const faults: string[] = [];
  for (let runs = 1; ; runs++) {
    const isDisturbed = runs <= DISTURBED_RUNS;
    const environment = { CHAOS_SEED: String(seed * DISTURBED_RUNS + runs), CHAOS_LOG: logOf(dataset) };
    const preload = new URL('terminate-threads.ts', import.meta.url);
    const run = startCommand(dataset.command, isDisturbed ? { preload, environment } : {});
    const ended = await Promise.race([run.finished, sleep(HANG_MS, undefined, { ref: false })]);
    if (!ended) {
      run.child.kill('SIGKILL');
      await run.finished;
      return { runs, namedEnds, isWhole: false, faults: [...faults, `run ${runs} hung`] };
    }
    if (ended.code === 0) return { runs, namedEnds, isWhole: true, faults };
    if (isDisturbed && NAMED_END.test(ended.stderr)) namedEnds++;
    else faults.push(`run ${runs} ended with code ${ended.code}: ${ended.stderr.slice(-1500)}`);
    if (!isDisturbed) return { runs, namedEnds, isWhole: false, faults };
  }
}

function terminations(log: string): Pick<WorkersReport, 'terminated' | 'whileStarting'> {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
  const all = lines.map((line): { readonly isStarting: boolean } => JSON.parse(line));
  return { terminated: all.length, whileStarting: all.filter(({ isStarting }) => isStarting).length };
}
