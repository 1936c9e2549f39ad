import { expect, test } from 'vitest';
import type { Answer } from '../redis/run-state.ts';
import { Coordinator, type CoordinatorParts } from './coordinator.ts';

const never = new Promise<never>(() => {});

/** A coordinator on the machine `own`, and what it tells its lease. */
function open() {
  const told: boolean[] = [];
  const parts = {
    machine: { id: 'own', failed: never, worksAlone: false },
    lease: { lost: never, mayRenew: true, renewed: (isHeld: boolean) => void told.push(isHeld) },
    ending: never,
    leave: new AbortController().signal,
    works: true,
    paths: {},
    onMachines: () => {},
  };
  return { coordinator: new Coordinator(parts as unknown as CoordinatorParts), told };
}

test.each([
  ['of a report that was sent before the run began', undefined, []],
  ['that names this machine', 'own', []],
  ['that names another machine', 'other', [false]],
])('an answer %s tells the lease only what it knows', (_, holder, expected) => {
  const { coordinator, told } = open();
  coordinator.onAnswer({ coordinator: holder } as Answer);
  expect(told).toEqual(expected);
});

test('a machine asks for the state of the run only from its beginning to its end', async () => {
  const { coordinator } = open();
  expect(coordinator.pollRequest()).toBeUndefined();
  const results = coordinator.run([], {} as never);
  results.next().catch(() => {});
  await Promise.resolve();
  expect(coordinator.pollRequest()).toEqual({ hasEnding: false, machines: 1, accepted: new Map() });
  coordinator.close();
  expect(coordinator.pollRequest()).toBeUndefined();
});
