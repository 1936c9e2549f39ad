import { expect, test } from 'vitest';
import { DataDesignerError, type Violation } from '@data-designer/core';
import { flaggedSettings } from '@data-designer/declaration';
import { withPlaceOfFlag } from './place-of-flag.ts';

const violation = (path: string): Violation => ({
  stage: 'run',
  type: 'budget_without_prices',
  level: 'ERROR',
  path,
  message: 'it is wrong.',
  remedy: 'Correct it.',
});

function messageOf(paths: readonly string[], ...args: readonly string[]): string {
  const data = { source: 'four.yaml', violations: paths.map(violation) };
  return withPlaceOfFlag(new DataDesignerError('config/invalid', data), ['create', 'four.yaml', ...args]).message;
}

test.each([
  ['run_config.seed', '--seed'],
  ['run_config.max_cost', '--max-cost'],
  ['run_config.max_duration_seconds', '--max-time'],
  ['run_config.compact', '--compact'],
])('a mistake in %s is one of %s if that flag gave it', (path, flag) => {
  const told = `The command line has 1 mistake:\n${flag}: it is wrong. Correct it.`;
  expect(messageOf([path], flag, '5')).toBe(told);
  expect(messageOf([path], `${flag}=5`)).toBe(told);
  expect(messageOf([path])).toBe(`four.yaml has 1 mistake:\n${path}: it is wrong. Correct it.`);
});

test('every flag of a run setting is known', () => {
  expect(Object.keys(flaggedSettings)).toEqual(['seed', 'maxCost', 'maxDurationSeconds', 'compact']);
});

test('mistakes of the file beside that of a flag stay those of the file', () => {
  expect(messageOf(['run_config.max_cost', 'columns[0]'], '--max-cost', '5')).toBe(
    'four.yaml has 2 mistakes:\n--max-cost: it is wrong. Correct it.\ncolumns[0]: it is wrong. Correct it.',
  );
});
