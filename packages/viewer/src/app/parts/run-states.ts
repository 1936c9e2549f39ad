import type { RunState } from '../../api/overview.ts';

/** The class and the words of each state of a run. */
export const RUN_STATES: Readonly<Record<RunState, readonly [className: string, text: string]>> = {
  running: ['state-running', 'running'],
  finished: ['state-done', 'finished'],
  unfinished: ['state-done', 'unfinished'],
  dead: ['state-dead', 'stopped without finishing'],
};
