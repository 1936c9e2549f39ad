import { expect, test } from 'vitest';
import type { RowReview } from '../../api/reviews.ts';
import { describeChanges, mergedReview } from './review-store.ts';

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

test('a verdict keeps the rating, the comment and the edits, also when it is taken back', () => {
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
    edits: { a: 'b' },
  });
  expect(mergedReview(PLACE, EDITED, { verdict: null })).toMatchObject({ verdict: null, edits: { a: 'b' } });
  const rejected = { ...EDITED, verdict: 'reject' } as const;
  expect(mergedReview(PLACE, rejected, { verdict: 'accept' })).toMatchObject({ verdict: 'edit', edits: { a: 'b' } });
});

test('an edit keeps the verdict, also when it is taken back, and accepts nothing by itself', () => {
  const edits = { a: 'c' };
  const undecided = { ...EDITED, verdict: null } as const;
  for (const before of [undefined, undecided]) {
    expect(mergedReview(PLACE, before, { draft: DRAFT, edits })).toMatchObject({ verdict: null, edits });
  }
  for (const verdict of ['accept', 'edit'] as const) {
    const accepted = { ...EDITED, verdict };
    expect(mergedReview(PLACE, accepted, { draft: DRAFT, edits })).toMatchObject({ verdict: 'edit', edits });
    expect(mergedReview(PLACE, accepted, { draft: DRAFT, edits: null })).toMatchObject({ verdict: 'accept' });
  }
  const rejected = { ...EDITED, verdict: 'reject' } as const;
  expect(mergedReview(PLACE, rejected, { draft: DRAFT, edits })).toMatchObject({ verdict: 'reject', edits });
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
});

test('a change of a review is told in words', () => {
  const before = { rating: null, comment: '', texts: {} };
  const after = { rating: 5, comment: 'Good. ', texts: { a: 'b' } };
  expect(describeChanges(before, after)).toEqual(['rated 5', 'comment saved', 'edits saved']);
  expect(describeChanges(after, before)).toEqual(['rating removed', 'comment removed', 'edits removed']);
  expect(describeChanges(after, { ...after, comment: 'Good.' })).toEqual([]);
});
