/** Buckets for each doubling of a time. */
const PER_DOUBLING = 4;
/** The last bucket takes all times beyond 2^24 ms, almost five hours: no call may take longer. */
const BUCKETS = 24 * PER_DOUBLING + 1;

/**
 * Counts of calls by their time, in fixed buckets: bucket 0 is up to 1 ms, bucket n up to
 * 2^(n/4) ms. Histograms are merged by adding them; trailing empty buckets are left out.
 */
export type LatencyCounts = readonly number[];

/** Adds a time in milliseconds to the histogram. */
export function countLatency(counts: number[], milliseconds: number): void {
  const bucket = Math.min(bucketOf(milliseconds), BUCKETS - 1);
  while (counts.length <= bucket) counts.push(0);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
}

/** Adds one histogram to another, which is changed. */
export function addLatencies(total: number[], more: LatencyCounts): void {
  while (total.length < more.length) total.push(0);
  more.forEach((count, bucket) => {
    total[bucket] = (total[bucket] ?? 0) + count;
  });
}

/**
 * The time in whole milliseconds below which a share of the calls was, by the upper bound of its bucket: at most a fifth
 * too much, and never more than `max`. Null without calls.
 */
export function latencyQuantile(counts: LatencyCounts, share: number, max: number): number | null {
  const calls = counts.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) >= share * calls);
  return Math.min(Math.round(2 ** (bucket / PER_DOUBLING)), max);
}

function bucketOf(milliseconds: number): number {
  return milliseconds <= 1 ? 0 : Math.ceil(Math.log2(milliseconds) * PER_DOUBLING);
}
