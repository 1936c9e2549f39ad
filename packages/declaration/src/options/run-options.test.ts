import { expect, expectTypeOf, test } from 'vitest';
import type { CreateOptions, ValidateOptions } from '../data-designer-options.ts';
import { createRules, rulesOf, validateRules } from './option-rules.ts';
import { flaggedSettings, givenOptions, runOptions } from './run-options.ts';

test('a call is checked for the options that the table says it takes, and no others', () => {
  expect(Object.keys(validateRules)).toEqual(['numRecords']);
  expect(Object.keys(rulesOf('preview'))).toEqual(['numRecords', 'callLog']);
  expect(Object.keys(createRules)).toContain('format');
  expect(Object.keys(createRules)).not.toContain('targets');
  expect(Object.keys(rulesOf('run'))).not.toContain('format');
  expectTypeOf<keyof ValidateOptions>().toEqualTypeOf<'numRecords'>();
  expectTypeOf<CreateOptions['resume']>().toEqualTypeOf<'never' | 'always' | 'if_possible' | undefined>();
});

test('a successor runs a workflow with every option that shapes its rows, and none of this machine', () => {
  const recorded = Object.entries(runOptions).flatMap(([name, { recorded: is }]) => (is ? [name] : []));
  expect(recorded).toEqual(['numRecords', 'resume', 'reRequest', 'retryLost', 'targets', 'rerunFrom', 'overrides']);
});

test('given options are those of the table, without absent ones', () => {
  const given = { numRecords: 3, resume: undefined, reRequest: false, other: 1 };
  expect(givenOptions(runOptions, given)).toEqual({ numRecords: 3, reRequest: false });
  expect(givenOptions(runOptions, given, ({ recorded, kind }) => recorded === true && kind === 'flag')).toEqual({
    reRequest: false,
  });
});

test('each flag and its short form are used once', () => {
  const flags = [...Object.values(runOptions), ...Object.values(flaggedSettings)].flatMap(
    ({ flag }) => flag?.match(/-[\w-]+/g) ?? [],
  );
  expect(new Set(flags).size).toBe(flags.length);
  expect(flags.length).toBeGreaterThan(10);
});
