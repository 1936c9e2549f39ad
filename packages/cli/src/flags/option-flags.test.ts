import { Command } from 'commander';
import { expect, test } from 'vitest';
import { optionsIn, settingsIn, withOptions, withSettings } from './option-flags.ts';

function parsed(...args: readonly string[]): Command {
  const command = withOptions(withOptions(new Command(), 'create'), 'run', 'Workflows:');
  withSettings(withSettings(command, 'Limits:'));
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parse(args, { from: 'user' });
}

test('flags give options under their names in the API, and none that was left out', () => {
  const command = parsed(
    '-n',
    '3',
    '--resume',
    'If-Possible',
    '--targets',
    'a, b',
    '--targets',
    'c',
    '--override',
    'a=b',
  );
  expect(optionsIn(command, 'create')).toEqual({ numRecords: 3, resume: 'if_possible' });
  expect(optionsIn(command, 'run')).toEqual({
    numRecords: 3,
    resume: 'if_possible',
    targets: ['a', 'b', 'c'],
    overrides: { a: 'b' },
  });
  expect(optionsIn(parsed(), 'create')).toEqual({});
  expect(parsed().opts()).toMatchObject({ datasetName: 'dataset', resume: 'never', reRequest: false });
});

test('flags give run settings, both ways of a setting that is yes or no', () => {
  expect(settingsIn(parsed('--max-time', '2m', '--max-cost', '0.5', '--no-compact').opts())).toEqual({
    maxDurationSeconds: 120,
    maxCost: 0.5,
    compact: false,
  });
  expect(settingsIn(parsed('--compact').opts())).toEqual({ compact: true });
  expect(settingsIn(parsed().opts())).toEqual({});
});

test('a text names other options as the flags that they are', () => {
  expect(parsed().helpInformation()).toMatch(/--retry-lost\s+With --resume: make lost rows/);
});

test.each([
  ['-n', '0'],
  ['-n', 'many'],
  ['--resume', 'maybe'],
  ['--override', 'a'],
  ['--max-cost', '0'],
])('%s %s is refused', (...args) => {
  expect(() => parsed(...args)).toThrow('invalid');
});
