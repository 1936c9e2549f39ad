import { expect, test } from 'vitest';
import type { Filter } from './api/filter.ts';
import { downloadName } from './download-name.ts';

const named = (dataset: string, filter: Filter, format: string): string =>
  downloadName(dataset, { filter, reviews: false }, format);

test('the name of a download has its filter', () => {
  expect(named('support-v1', {}, 'jsonl')).toBe('support-v1.jsonl');
  expect(named('a/b c', { sort: [{ column: 'n', descending: true }] }, 'csv')).toBe('a_b_c.csv');
  expect(named('support-v1', { review: 'accept' }, 'jsonl')).toBe('support-v1-accepted.jsonl');
  const score = { column: 'grade', path: ['Helpfulness', 'score'], op: 'less', value: 3 } as const;
  const filter = { review: 'edit-only', where: [score], search: 'né "e', tool: 'lookup' } as const;
  expect(named('s', filter, 'parquet')).toBe(
    's-edited_without_a_verdict-grade.Helpfulness_less_3-n_e-calls_lookup.parquet',
  );
  expect(named('s', { search: '潮汐' }, 'jsonl')).toMatch(/^s-[\w]+\.jsonl$/);
  expect(named('s', { sql: 'x'.repeat(500) }, 'jsonl').length).toBeLessThan(100);
});

test('rows with their reviews as columns have another name', () => {
  expect(downloadName('facts', { filter: {}, reviews: true }, 'csv')).toBe('facts-with_reviews.csv');
  const filter = { review: 'accept', sql: 'x'.repeat(500) } as const;
  expect(downloadName('facts', { filter, reviews: true }, 'csv')).toMatch(/^facts-accepted-x+-with_reviews\.csv$/);
});
