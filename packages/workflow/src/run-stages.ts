import { isFailure } from '@data-designer/core';
import type { RunEnd } from '@data-designer/engine';
import type { Stage } from './stage.ts';

/** The most stages that are made at the same time: each has worker threads of its own. */
const STAGES_AT_A_TIME = 4;

/** Makes a stage until it is done or `drain` is aborted; returns why it ended early, or null. */
type RunStage = (stage: Stage, drain: AbortSignal) => Promise<RunEnd | null>;

/**
 * Runs each stage once those that it reads are done, several at a time. When one fails or ends early, the others are
 * drained. Returns why the first ended early, or null; throws the first failure.
 */
export async function runStages(stages: readonly Stage[], run: RunStage): Promise<RunEnd | null> {
  const waiting = [...stages];
  const done = new Set<string>();
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  const failures: unknown[] = [];
  let ended: RunEnd | null = null;
  const start = async (stage: Stage): Promise<void> => {
    try {
      const end = await run(stage, stop.signal);
      if (end === null) return void done.add(stage.name);
      ended ??= end;
    } catch (thrown) {
      // A drained stage has not failed.
      if (!stop.signal.aborted || !isFailure(thrown, 'run/aborted')) failures.push(thrown);
    }
    stop.abort();
  };
  for (;;) {
    while (!stop.signal.aborted && running.size < STAGES_AT_A_TIME) {
      const next = waiting.findIndex(({ dependsOn }) => dependsOn.every((name) => done.has(name)));
      const [stage] = next < 0 ? [] : waiting.splice(next, 1);
      if (!stage) break;
      const started = start(stage).finally(() => running.delete(started));
      running.add(started);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (failures.length > 0) throw failures[0];
  return ended;
}
