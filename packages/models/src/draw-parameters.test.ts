import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { parametersOf } from './draw-parameters.ts';

const drawn = {
  top_p: { values: [0.25, 0.75], bounds: [0.5, 1] },
  temperature: { low: 0.4, high: 0.9 },
};
const at = (call: number) => () => Random.of(1, 'column').at(7, 0, call + 1);

test('fixed parameters are passed on unchanged, without a draw', () => {
  const parameters = { max_tokens: 5 };
  let drawings = 0;
  const open = () => {
    drawings++;
    return at(0)();
  };
  expect(parametersOf({ parameters, drawn: {} }, open)).toBe(parameters);
  expect(drawings).toBe(0);
});

test('a request draws within its bounds, the same on a replay and differently at the next call', () => {
  const calls = Array.from({ length: 200 }, (_, call) => parametersOf({ parameters: {}, drawn }, at(call)));
  expect(calls.every(({ temperature }) => Number(temperature) >= 0.4 && Number(temperature) < 0.9)).toBe(true);
  expect(new Set(calls.map(({ top_p }) => top_p))).toEqual(new Set([0.25, 0.75]));
  expect(new Set(calls.map(({ temperature }) => temperature)).size).toBe(200);
  expect(parametersOf({ parameters: {}, drawn }, at(3))).toEqual(calls[3]);
});

test('a fixed parameter wins over a drawn one', () => {
  expect(parametersOf({ parameters: { temperature: 1 }, drawn }, at(0))).toMatchObject({ temperature: 1 });
});
