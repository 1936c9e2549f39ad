import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadDataset } from 'data-designer';
import type { RunningSimulator } from '@data-designer/simulator';

/** The rows of a dataset as JSON. */
export async function rowsIn(folder: string): Promise<string> {
  return JSON.stringify(await Array.fromAsync((await loadDataset(folder)).records()));
}

/** The files that a run leaves, relative to the folder. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
}

/** The attempts at the row groups of a run, as its machines have noted them in the folder. */
export function attemptsIn(folder: string): readonly string[] {
  return clusterFiles(folder).filter((entry) => /epochs.group_\d+.\d+/.test(entry));
}

/** The groups of a run that machines have begun and not committed, with the number of attempts at each. */
export function begunIn(folder: string): ReadonlyMap<string, number> {
  const committed = new Set(clusterFiles(folder).flatMap((entry) => /commits.(group_\d+)/.exec(entry)?.[1] ?? []));
  const begun = attemptsIn(folder)
    .filter((entry) => !entry.endsWith('.returned'))
    .flatMap((entry) => /group_\d+/.exec(entry)?.[0] ?? []);
  const attempts = Map.groupBy(begun, (group) => group);
  return new Map([...attempts].flatMap(([group, all]) => (committed.has(group) ? [] : [[group, all.length] as const])));
}

function clusterFiles(folder: string): readonly string[] {
  const clusters = join(folder, 'cluster');
  return existsSync(clusters) ? readdirSync(clusters, { recursive: true, encoding: 'utf8' }) : [];
}

/** Has the simulator hold back all answers after the next ones. */
export async function holdAfter(simulator: RunningSimulator, answers: number): Promise<void> {
  await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  await simulator.holdAfter(answers);
}

/** Resolves once the simulator holds answers back; throws after a minute. */
export async function untilHeld(simulator: RunningSimulator, answers: number): Promise<void> {
  for (const end = performance.now() + 60_000; ;) {
    const stats = await simulator.stats();
    if (stats.answers >= answers && stats.inFlight > 0) return;
    if (performance.now() > end) throw new Error(`No requests after ${answers} answers: ${JSON.stringify(stats)}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
