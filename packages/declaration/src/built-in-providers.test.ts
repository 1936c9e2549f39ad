import { expect, test } from 'vitest';
import { builtInProviders, isSimulated } from './built-in-providers.ts';

const plan = {
  resources: [{ id: 'm', kind: 'model', provider: 'simulator', limit: 1, pool: 'm' }],
} as const;

test('answers of the built-in simulator are simulated', () => {
  expect(isSimulated(plan, builtInProviders)).toBe(true);
});

test('answers of another provider named simulator are not simulated', () => {
  const own = { ...builtInProviders.models[0], name: 'simulator' } as (typeof builtInProviders.models)[number];
  expect(isSimulated(plan, { ...builtInProviders, models: [own] })).toBe(false);
});
