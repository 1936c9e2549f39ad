import { expect, test } from 'vitest';
import { skippedProbes } from './compile-declaration.ts';

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
])('with the environment %j the models %j are not probed', (environment, aliases) => {
  expect([...skippedProbes({ modelConfigs }, environment).keys()]).toEqual(aliases);
});

test('the reason names the setting that disables the probe', () => {
  expect(skippedProbes({ modelConfigs }, {}).get('b')).toContain('skip_health_check');
  expect(skippedProbes({ modelConfigs }, { [SWITCH]: '1' }).get('b')).toContain(SWITCH);
});

test('the later of two configs with the same alias counts', () => {
  const twice = [...modelConfigs, { alias: 'b', skipHealthCheck: false }];
  expect([...skippedProbes({ modelConfigs: twice }, {}).keys()]).toEqual([]);
});
