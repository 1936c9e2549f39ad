import { expect, test } from 'vitest';
import { hasAllGroups } from './dataset-metadata.ts';

const SEGMENTS = [
  { firstRow: 0, rows: 5, groupSize: 2 },
  { firstRow: 5, rows: 1, groupSize: 2 },
];

test.each([
  ['all groups', 4, SEGMENTS, true],
  ['the groups of an earlier run for fewer rows', 3, SEGMENTS, false],
  ['none', undefined, SEGMENTS, false],
  ['groups of a plan without rows', 4, [], false],
])('metadata that counts %s', (_, made, segments, isWhole) => {
  const metadata = made === undefined ? undefined : { num_completed_batches: made, total_num_batches: made };
  expect(hasAllGroups(metadata, segments)).toBe(isWhole);
});
