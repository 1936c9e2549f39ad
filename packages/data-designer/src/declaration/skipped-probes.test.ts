import { expect, test } from 'vitest';
import { skippedProbes } from './skipped-probes.ts';

const modelConfigs = [
  { alias: 'a', skipHealthCheck: false },
  { alias: 'b', skipHealthCheck: true },
];

const SWITCH = 'DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS';

test.each([
  [{}, ['b']],
  [{ [SWITCH]: '1' }, ['a', 'b']],
  [{ [SWITCH]: 'true' }, ['b']],
  [{ [SWITCH]: '' }, ['b']],
])('with %j in the environment %j are not asked', (environment, aliases) => {
  expect([...skippedProbes({ modelConfigs }, environment).keys()]).toEqual(aliases);
});

test('the reason names what says so', () => {
  expect(skippedProbes({ modelConfigs }, {}).get('b')).toContain('skip_health_check');
  expect(skippedProbes({ modelConfigs }, { [SWITCH]: '1' }).get('b')).toContain(SWITCH);
});

test('of two configs with one alias the later counts', () => {
  const twice = [...modelConfigs, { alias: 'b', skipHealthCheck: false }];
  expect([...skippedProbes({ modelConfigs: twice }, {}).keys()]).toEqual([]);
});
