import { expect, test } from 'vitest';
import { type RehearsalOptions, resolveRates, simulatorLatency } from './rehearsal-options.ts';

test('a sample has 200 rows, or as many as the run', () => {
  expect(resolveRates({ numRecords: 10_000 }).sampleRows).toBe(200);
  expect(resolveRates({ numRecords: 3 }).sampleRows).toBe(3);
  expect(resolveRates({ numRecords: 3, sampleRows: 50 }).sampleRows).toBe(3);
});

test.each([
  ['200', '200'],
  ['lognormal:200,0.5', 'lognormal:200:0.5'],
  ['uniform:100, 300', 'uniform:100:300'],
  ['lognormal:200:0.5', 'lognormal:200:0.5'],
])('the latency %s is passed to the simulator as %s', (text, form) => {
  expect(simulatorLatency(text)).toBe(form);
});

test.each<[RehearsalOptions, string]>([
  [{ numRecords: 0 }, "numRecords cannot be '0'"],
  [{ numRecords: 1, sampleRows: 1.5 }, "sampleRows cannot be '1.5'"],
  [{ numRecords: 1, latency: 'soon' }, "latency cannot be 'soon'"],
  [{ numRecords: 1, latency: 'uniform:5,1' }, "latency cannot be 'uniform:5,1'"],
  [{ numRecords: 1, tokensPerSecond: 0 }, "tokensPerSecond cannot be '0'"],
  [{ numRecords: 1, errorRate: 0.6 }, "errorRate cannot be '0.6'. Use a share from 0 to 0.5"],
  [{ numRecords: 1, outputTokens: -1 }, "outputTokens cannot be '-1'"],
])('refuses %j', (options, words) => {
  expect(() => resolveRates(options)).toThrow(words);
});
