import type { LiveFigures, RunState } from '../../api/overview.ts';

/** The class and the words of each state of a run. */
const RUN_STATES: Readonly<Record<RunState, readonly [className: string, text: string]>> = {
  running: ['state-running', 'running'],
  finished: ['state-done', 'finished'],
  unfinished: ['state-done', 'unfinished'],
  dead: ['state-dead', 'stopped without finishing'],
};

/** The class and the words of the state of a run; a finished one may have lost all its rows. */
export function describeRunState({
  state,
  rows,
}: Pick<LiveFigures, 'state' | 'rows'>): readonly [className: string, text: string] {
  return state === 'finished' && rows === 0 ? ['state-dead', 'finished without rows'] : RUN_STATES[state];
}
