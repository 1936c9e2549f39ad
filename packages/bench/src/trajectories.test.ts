import { expect, test } from 'vitest';
import { cleanTrajectories, falseAlarms, isFound } from './trajectories.ts';
import { plantFaults } from './trajectories/planted-faults.ts';

test('every planted fault is found at its message', () => {
  const missed = plantFaults(12).filter((planted) => !isFound(planted));
  expect(missed.map(({ kind, at, messages }) => ({ kind, message: messages[at] }))).toEqual([]);
});

test('fewer than one correct conversation in 200 has a finding', () => {
  expect(falseAlarms(cleanTrajectories(400)).length).toBeLessThan(2);
});
