import { expect, test } from 'vitest';
import type { RowReview } from '@data-designer/core';
import { fitsReview, REVIEW_KINDS } from './review-kinds.ts';

const EDITS = { a: 'b' };

function kindsOf(part: Partial<RowReview> | undefined): readonly string[] {
  const nothing = { verdict: null, rating: null, comment: null, edits: null, author: null, isStale: false };
  const review = part && { row: 0, hash: '', time: '', ...nothing, ...part };
  return REVIEW_KINDS.filter((kind) => fitsReview(kind, review));
}

test('an accepted row with edits is accepted and edited, and an edit alone is no verdict', () => {
  expect(kindsOf({ verdict: 'accept' })).toEqual(['accept', 'reviewed']);
  expect(kindsOf({ verdict: 'edit', edits: EDITS })).toEqual(['accept', 'edit', 'reviewed']);
  expect(kindsOf({ edits: EDITS })).toEqual(['edit', 'edit-only', 'reviewed']);
  expect(kindsOf({ verdict: 'reject', edits: EDITS })).toEqual(['reject', 'edit', 'reviewed']);
  expect(kindsOf({ rating: 3 })).toEqual(['reviewed']);
  expect(kindsOf({ verdict: 'accept', isStale: true })).toEqual(['reviewed', 'stale']);
  expect(kindsOf(undefined)).toEqual(['none']);
});
