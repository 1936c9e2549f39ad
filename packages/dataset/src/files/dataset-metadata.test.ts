import { expect, test } from 'vitest';
import { hasAllGroups } from './dataset-metadata.ts';

const SEGMENTS = [
  { firstRow: 0, rows: 5, groupSize: 2 },
  { firstRow: 5, rows: 1, groupSize: 2 },
];

test.each([
  ['all groups', { made: 4, segments: SEGMENTS }, true],
  ['the groups of an earlier run for fewer rows', { made: 3, segments: SEGMENTS }, false],
  ['none', { made: undefined, segments: SEGMENTS }, false],
  ['groups of a plan without rows', { made: 4, segments: [] }, false],
])('metadata that counts %s', (_, { made, segments }, isWhole) => {
  const metadata = made === undefined ? undefined : { num_completed_batches: made, total_num_batches: made };
  expect(hasAllGroups(metadata, segments)).toBe(isWhole);
});
