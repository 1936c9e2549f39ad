import type { Resource } from '@data-designer/core';
import { expect, test } from 'vitest';
import { Admission, type Permit } from './admission.ts';
import { JointLimits } from './joint-limits.ts';
import { fixedLimit } from './permit-source.ts';
import { ResourceQueues } from './resource-queues.ts';

const MODEL: Resource = { id: 'model/here/m', kind: 'model', provider: 'here', limit: 6, pool: 'model/here/m' };

/** The queue of a run for the model. */
function queueOf(joint: JointLimits, limit = MODEL.limit): Admission {
  return new ResourceQueues([{ ...MODEL, limit }], { joint }).admission(MODEL.id);
}

/** Requests permits, and returns those that are granted. */
function requestAll(queue: Admission, count: number): Permit[] {
  const held: Permit[] = [];
  for (let row = 0; row < count; row++) queue.request(row, (permit) => held.push(permit));
  return held;
}

test('the requests of two runs together stay below the limit, and a released permit goes to the run with fewer', () => {
  const joint = new JointLimits([MODEL]);
  const [one, two] = [queueOf(joint), queueOf(joint)];
  const first = requestAll(one, 10);
  const second = requestAll(two, 10);
  expect([one.inFlight, two.inFlight]).toEqual([6, 0]);
  first[0]?.release();
  first[1]?.release();
  expect([one.inFlight, two.inFlight]).toEqual([4, 2]);
  second[0]?.release();
  expect([one.inFlight, two.inFlight]).toEqual([4, 2]);
});

test('a run that ends leaves its permits to the others', () => {
  const joint = new JointLimits([MODEL]);
  const [one, two] = [queueOf(joint), queueOf(joint)];
  const held = requestAll(one, 10);
  requestAll(two, 10);
  one.pause();
  for (const permit of held) permit.release();
  expect([one.inFlight, two.inFlight]).toEqual([0, 6]);
});

test('a run has at most its own limit, and the others the rest of the largest', () => {
  const joint = new JointLimits([MODEL]);
  const [one, two] = [queueOf(joint, 2), queueOf(joint)];
  requestAll(one, 10);
  requestAll(two, 10);
  expect([one.inFlight, two.inFlight, one.limit]).toEqual([2, 4, 2]);
});

test('tools have one limit for all runs too', () => {
  const tools: Resource = { id: 'tools/t', kind: 'tools', provider: 't', limit: 3, pool: 'tools/t' };
  const joint = new JointLimits([tools]);
  const queues = [0, 1].map(() => new ResourceQueues([tools], { joint }).admission(tools.id));
  for (const queue of queues) requestAll(queue, 5);
  expect(queues.reduce((sum, { inFlight }) => sum + inFlight, 0)).toBe(3);
});

test('one ledger adds up what all accounts spend, and counts what an account has spent before once', () => {
  const joint = new JointLimits([]);
  joint.raise('reused', 1);
  const one = joint.ledger('one', { maxCost: 10, spentBefore: 2 });
  const two = joint.ledger('two', { maxCost: 10, spentBefore: 3 });
  one.add(2);
  joint.raise('one', 4);
  const next = joint.ledger('one', { maxCost: 10, spentBefore: 4 });
  expect([two.total, two.spent.aborted]).toEqual([8, false]);
  joint.raise('reused', 2);
  next.add(1);
  expect(two.spent.reason).toMatchObject({ code: 'run/budget-spent', data: { maxCost: 10, cost: 10 } });
});

test('a pause of the endpoint stops every run', () => {
  const joint = new JointLimits([MODEL]);
  const source = fixedLimit(0);
  const views = [0, 1].map(() => joint.permits(MODEL, () => source));
  expect(views.map((view) => view.permits(0))).toEqual([0, 0]);
});
