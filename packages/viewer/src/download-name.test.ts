import { expect, test } from 'vitest';
import { downloadName } from './download-name.ts';

test('the name of a download has its filter', () => {
  expect(downloadName('support-v1', {}, 'jsonl')).toBe('support-v1.jsonl');
  expect(downloadName('a/b c', { sort: [{ column: 'n', descending: true }] }, 'csv')).toBe('a_b_c.csv');
  expect(downloadName('support-v1', { review: 'accept' }, 'jsonl')).toBe('support-v1-accepted.jsonl');
  const score = { column: 'grade', path: ['Helpfulness', 'score'], op: 'less', value: 3 } as const;
  const filter = { review: 'edit-only', where: [score], search: 'né "e', tool: 'lookup' } as const;
  expect(downloadName('s', filter, 'parquet')).toBe(
    's-edited_without_a_verdict-grade.Helpfulness_less_3-n_e-calls_lookup.parquet',
  );
  expect(downloadName('s', { search: '潮汐' }, 'jsonl')).toMatch(/^s-[\w]+\.jsonl$/);
  expect(downloadName('s', { sql: 'x'.repeat(500) }, 'jsonl').length).toBeLessThan(100);
});
