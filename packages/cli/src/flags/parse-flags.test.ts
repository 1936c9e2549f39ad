import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { oneOf, parseDuration, withChoices } from './parse-flags.ts';

test.each([
  ['90s', 90],
  ['1.5m', 90],
  ['2h', 7200],
  ['1d', 86_400],
  ['596h', 2_145_600],
])('%s is parsed to %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['600h', '25d', '2147484s'])('%s is refused because no timer can hold it', (text) => {
  expect(() => parseDuration(text)).toThrow('at most 596h');
});

test.each(['soon', '0s', '90', '-1h', '1w'])('%s is refused because it is not a time', (text) => {
  expect(() => parseDuration(text)).toThrow('such as 90s, 30m, 2h or 1d');
});

/** The refusal of a value of a flag with two choices. */
function refusal(value: string): string {
  const said: string[] = [];
  const flag = withChoices(new Option('-f, --format <format>'), ['trl-sft', 'csv']);
  const command = new Command().addOption(flag).exitOverride();
  command.configureOutput({ writeErr: (text) => void said.push(text) });
  expect(() => command.parse(['-f', value], { from: 'user' })).toThrow('is invalid');
  return said.join('');
}

test('a misspelt choice gets the nearest one, and another all of them', () => {
  expect(refusal('trl-stf')).toContain('Did you mean trl-sft? Allowed choices are trl-sft, csv.');
  expect(refusal('sft')).toContain('Did you mean trl-sft?');
  expect(refusal('trl-dpo')).not.toContain('Did you mean trl-preference');
  expect(refusal('quite-other')).toContain('is invalid. Allowed choices are trl-sft, csv.');
  expect(() => oneOf(['never', 'always'])('alway')).toThrow('Did you mean always?');
  const flag = withChoices(new Option('-f, --format <format>'), ['trl-sft', 'csv']);
  expect(new Command().addOption(flag).parse(['-f', 'csv'], { from: 'user' }).opts()).toEqual({ format: 'csv' });
});
