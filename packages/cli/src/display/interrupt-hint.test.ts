import { expect, test } from 'vitest';
import type { ProgressSnapshot } from '@data-designer/engine';
import { SavedRows, withHigherBudget, wordsToContinue } from './interrupt-hint.ts';

const START = {
  type: 'run-start',
  path: '/data/facts',
  rows: 300,
  rowsDone: 100,
  groups: 2,
  seed: 1,
  models: [],
} as const;

test('counts the rows of earlier runs and of finished row groups', () => {
  const saved = new SavedRows();
  saved.count(START);
  saved.count({ type: 'row-group-end', group: 1, rows: 60, lost: [] });
  expect(saved.hint(['create', "it's.yaml", '-n', '300'], 'facts')).toBe(
    "Interrupted. 160 of 300 rows are saved; continue with: npx data-designer create 'it'\\''s.yaml' -n 300 --resume always\n",
  );
});

test('counts the answers of models, which are saved before their rows are', () => {
  const saved = new SavedRows();
  saved.count({ ...START, rowsDone: 0 });
  const usage = { writer: { requests: 700, failedRequests: 13 }, judge: { requests: 100, failedRequests: 0 } };
  const snapshot = { usage } as unknown as ProgressSnapshot;
  saved.count({ type: 'progress', snapshot });
  expect(saved.hint(['create', 'a.yaml'], 'facts')).toContain('Interrupted. 0 of 300 rows and 787 answers are saved;');
});

test('speaks of one row in the singular', () => {
  const saved = new SavedRows();
  saved.count({ ...START, rowsDone: 1 });
  expect(saved.hint(['create', 'a.yaml'], 'facts')).toContain('Interrupted. 1 of 300 rows is saved;');
});

test.each([
  [['create', 'a.yaml', '--resume', 'never', '-n', '3']],
  [['create', 'a.yaml', '-r', 'if_possible', '-n', '3']],
  [['create', 'a.yaml', '--resume=always', '-n', '3']],
])('replaces the --resume of %j', (args) => {
  const saved = new SavedRows();
  saved.count(START);
  expect(saved.hint(args, 'facts')).toContain('create a.yaml -n 3 --resume always');
});

test('names the folder of a dataset whose name was taken', () => {
  const saved = new SavedRows();
  saved.count({ ...START, path: '/data/facts_2026' });
  expect(saved.hint(['create', 'a.yaml', '-d', 'facts'], 'facts')).toContain(
    'create a.yaml -d facts_2026 --resume always',
  );
});

test('promises no saved rows before the run began', () => {
  expect(new SavedRows().hint(['create', 'a.yaml'], 'dataset')).toBe('Interrupted before the run began.\n');
});

test('says of a run that ended early what is saved, and how it continues', () => {
  const saved = new SavedRows();
  const args = ['create', 'a.yaml'];
  expect(saved.continuation(args, 'facts')).toBe('');
  saved.count({ ...START, rowsDone: 0 });
  const command = 'npx data-designer create a.yaml --resume always';
  expect(saved.continuation(args, 'facts')).toBe(`Nothing is saved yet; to try again: ${command}`);
  saved.count({ type: 'row-group-end', group: 1, rows: 60, lost: [] });
  expect(saved.continuation(args, 'facts')).toBe(`60 of 300 rows are saved; continue with: ${command}`);
});

test.each([
  [
    ['create', 'a.yaml', '--max-cost', '2'],
    ['create', 'a.yaml', '--max-cost', '<more>'],
  ],
  [
    ['create', 'a.yaml', '--max-cost=2', '-n', '2'],
    ['create', 'a.yaml', '--max-cost=<more>', '-n', '2'],
  ],
  [
    ['create', 'a.yaml'],
    ['create', 'a.yaml'],
  ],
])('a spent budget is not suggested again: %j', (args, expected) => {
  expect(withHigherBudget(args)).toEqual(expected);
});

test('a run whose budget is spent continues with another one', () => {
  const { argv } = process;
  try {
    process.argv = ['node', 'cli', 'create', 'a.yaml', '--max-cost', '1'];
    expect(wordsToContinue({ code: 'run/budget-spent' })).toEqual(['create', 'a.yaml', '--max-cost', '<more>']);
    expect(wordsToContinue({ code: 'run/time-spent' })).toEqual(['create', 'a.yaml', '--max-cost', '1']);
    expect(wordsToContinue(null)).toEqual(['create', 'a.yaml', '--max-cost', '1']);
  } finally {
    process.argv = argv;
  }
});
