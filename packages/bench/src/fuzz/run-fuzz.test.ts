import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { faultyTarget } from './faulty-target.ts';
import type { FuzzFault } from './fuzz-message.ts';
import { printFault } from './print-fault.ts';
import { openReader, runFuzz } from './run-fuzz.ts';

/** The fault that the faulty reader finds in a text. */
async function faultIn(text: string): Promise<FuzzFault | undefined> {
  await using reader = openReader('faulty', 1);
  const { fault } = await reader.read({ one: { text, json: false, story: [] } });
  // The same reader goes on, in another process if need be.
  expect(await reader.read({ one: { text: 'it reads', json: false, story: [] } })).toEqual({ outcomes: { valid: 1 } });
  return fault;
}

/** The number of the first case of seed 1 with this text. */
function numberOf(text: string): number {
  const { caseOf } = faultyTarget();
  const random = Random.of(1, 'faulty');
  let number = 0;
  while (caseOf(random.at(number)).text !== text) number++;
  return number;
}

// The long form is `npm run fuzz -- config`.
for (const { wanted, tags } of [
  { wanted: 30, tags: [] },
  { wanted: 100, tags: ['long'] },
])
  test(`${wanted} mutated configs each end in a result or an error for the user`, { tags }, async () => {
    const { cases, outcomes, fault } = await runFuzz({ target: 'config', seed: 1, cases: wanted });
    expect(fault).toBeUndefined();
    expect(cases).toBe(wanted);
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['valid', 'load', 'unreadable']));
  });

test(
  'a reader that throws, hangs or uses too much memory is a fault, and the next case is read',
  { tags: 'long' },
  async () => {
    expect(await faultIn('it reads')).toBeUndefined();
    expect(await faultIn('it throws')).toMatchObject({ kind: 'threw', what: expect.stringContaining('TypeError') });
    expect(await faultIn('it hangs')).toMatchObject({ kind: 'slow', what: 'it takes more than 6000 ms' });
    expect(await faultIn('it eats')).toMatchObject({ kind: 'memory', what: 'it takes more than 256 MB' });
  },
);

test('a fault ends the run and is printed with its shortened case', { tags: 'long' }, async () => {
  const number = numberOf('it throws');
  const { fault, outcomes } = await runFuzz({ target: 'faulty', seed: 1, from: number, cases: 1 });
  expect(fault).toMatchObject({ kind: 'threw', number });
  expect(outcomes).toEqual({});
  const told = await printFault(fault as FuzzFault, 'faulty', 1);
  expect(told).toMatch(new RegExp(`^case ${number} of seed 1 threw: TypeError`));
  expect(told).toContain(`again: faulty --seed 1 --from ${number} --cases 1`);
  expect(told).toContain('text (YAML, 6 of 9 characters): "throws"');
});
