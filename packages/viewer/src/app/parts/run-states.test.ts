import { expect, test } from 'vitest';
import { describeRunState } from './run-states.ts';

test('a finished run that has lost all its rows is told from one with rows', () => {
  expect(describeRunState({ state: 'finished', rows: 1 })).toEqual(['state-done', 'finished']);
  expect(describeRunState({ state: 'finished', rows: 0 })).toEqual(['state-dead', 'finished without rows']);
  expect(describeRunState({ state: 'running', rows: 0 })).toEqual(['state-running', 'running']);
});
