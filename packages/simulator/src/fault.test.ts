import { expect, test } from 'vitest';
import { Draws } from './draws.ts';
import { drawFault, faultOfModel, readFaultRates } from './fault.ts';

const HASH = '00ff00ff11ee11ee22dd22dd33cc33cc44bb44bb55aa55aa66996699778877880';

test('fault rates are parsed by name or status, and invalid ones are refused', () => {
  expect(readFaultRates('500=0.01,reset=0.2')).toEqual(
    new Map([
      ['500', 0.01],
      ['reset', 0.2],
    ]),
  );
  for (const text of ['', '200=0.1', 'reset', 'reset=2', 'reset=x', 'hang=0.6,reset=0.6', 'toString=0.1']) {
    expect(readFaultRates(text)).toBeUndefined();
  }
});

test('faults happen at their rates', () => {
  const rates = readFaultRates('500=0.1,reset=0.2') ?? new Map();
  const draws = Draws.ofRequest(1, HASH);
  const drawn = Array.from({ length: 20_000 }, (_, sight) => drawFault(rates, draws.of('fault', sight)));
  const share = (fault: string | undefined) => drawn.filter((one) => one === fault).length / drawn.length;
  expect(share('500')).toBeCloseTo(0.1, 1);
  expect(share('reset')).toBeCloseTo(0.2, 1);
  expect(share(undefined)).toBeCloseTo(0.7, 1);
});

test('a model name triggers its fault always, or once per request', () => {
  expect(faultOfModel('sim-reset', 3)).toBe('reset');
  expect(faultOfModel('sim-wrong-schema', 0)).toBe('wrong-schema');
  expect(faultOfModel('sim-503-once', 0)).toBe('503');
  expect(faultOfModel('sim-503-once', 1)).toBeUndefined();
  for (const model of ['sim-small', 'sim-', 'gpt-500', 'sim-200', 'sim-constructor']) {
    expect(faultOfModel(model, 0)).toBeUndefined();
  }
});
