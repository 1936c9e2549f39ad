import { expect, test } from 'vitest';
import type { RowReview } from '../../api/reviews.ts';
import { mergedReview } from './review-store.ts';

const PLACE = { row: 3, hash: 'new' };
const EDITED: RowReview = {
  row: 3,
  hash: 'old',
  verdict: 'edit',
  rating: 4,
  comment: 'Good.',
  edits: { a: 'b' },
  author: null,
  time: '2026-01-01T00:00:00.000Z',
  isStale: false,
};
const DRAFT = { hash: null, rating: 2, comment: ' Hm. ', texts: {}, originals: {} };

test('a verdict keeps the rating and the comment, and an accepted row keeps its edits', () => {
  expect(mergedReview(PLACE, EDITED, { verdict: 'accept' })).toEqual({
    ...PLACE,
    verdict: 'edit',
    rating: 4,
    comment: 'Good.',
    edits: { a: 'b' },
  });
  expect(mergedReview(PLACE, EDITED, { verdict: 'reject' })).toMatchObject({
    verdict: 'reject',
    rating: 4,
    edits: null,
  });
});

test('a verdict a second time changes nothing', () => {
  const accepted = { ...EDITED, verdict: 'accept', edits: null } as const;
  expect(mergedReview(PLACE, accepted, { verdict: 'accept' })).toMatchObject({ verdict: 'accept', rating: 4 });
});

test('a verdict on a row that changed does not bring its old edits back', () => {
  const stale = { ...EDITED, isStale: true };
  expect(mergedReview(PLACE, stale, { verdict: 'accept' })).toMatchObject({ verdict: 'accept', edits: null });
});

test('a draft replaces what it says, and its verdict stays', () => {
  const accepted = { ...EDITED, verdict: 'accept', edits: null } as const;
  expect(mergedReview(PLACE, accepted, { draft: DRAFT, edits: null })).toEqual({
    ...PLACE,
    verdict: 'accept',
    rating: 2,
    comment: 'Hm.',
    edits: null,
  });
  expect(mergedReview(PLACE, EDITED, { draft: DRAFT, edits: null })).toMatchObject({ verdict: null, edits: null });
});
