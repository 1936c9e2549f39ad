import { addLatencies, countLatency, latencyQuantile } from './latency-histogram.ts';

/** What is counted of a tool's calls; plain data, so that threads and runs can be added up. */
export interface ToolCounts {
  calls: number;
  /** Calls that the model was told had failed; timeouts are among them. */
  errors: number;
  timeouts: number;
  /** Of the results as they came, in UTF-8. */
  bytes: number;
  /** Of the calls that reached the tool; of a replayed call as it was the first time. */
  latency: number[];
  longestMs: number;
}

/** What is told of a tool's calls. */
export interface ToolStatistics {
  readonly calls: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly bytes: number;
  /** Milliseconds, quantiles to within a fifth; null where no call reached the tool. */
  readonly latencyMs: { readonly p50: number | null; readonly p95: number | null; readonly max: number | null };
}

/** How one call went. */
export interface CountedCall {
  readonly failed: boolean;
  readonly timedOut: boolean;
  readonly bytes: number;
  /** Undefined for a call that did not reach the tool. */
  readonly elapsedMs: number | undefined;
}

function noCounts(): ToolCounts {
  return { calls: 0, errors: 0, timeouts: 0, bytes: 0, latency: [], longestMs: 0 };
}

/** Counts one call of a tool in. */
export function countCall(
  total: Record<string, ToolCounts>,
  tool: string,
  { failed, timedOut, bytes, elapsedMs }: CountedCall,
): void {
  const counts = countsOf(total, tool);
  counts.calls++;
  if (failed) counts.errors++;
  if (timedOut) counts.timeouts++;
  counts.bytes += bytes;
  if (elapsedMs === undefined) return;
  countLatency(counts.latency, elapsedMs);
  counts.longestMs = Math.max(counts.longestMs, elapsedMs);
}

/** Adds counts by tool to others; what is added is not kept. */
export function addToolCounts(total: Record<string, ToolCounts>, more: Readonly<Record<string, ToolCounts>>): void {
  for (const [tool, { calls, errors, timeouts, bytes, latency, longestMs }] of Object.entries(more)) {
    const counts = countsOf(total, tool);
    counts.calls += calls;
    counts.errors += errors;
    counts.timeouts += timeouts;
    counts.bytes += bytes;
    addLatencies(counts.latency, latency);
    counts.longestMs = Math.max(counts.longestMs, longestMs);
  }
}

/** The counts of a tool; its name may be that of something every object has. */
function countsOf(total: Record<string, ToolCounts>, tool: string): ToolCounts {
  if (!Object.hasOwn(total, tool)) total[tool] = noCounts();
  return total[tool] as ToolCounts;
}

/** What is told of counts, by tool. */
export function toolStatistics(counts: Readonly<Record<string, ToolCounts>>): Record<string, ToolStatistics> {
  return Object.fromEntries(Object.entries(counts).map(([tool, one]) => [tool, statisticsOf(one)]));
}

function statisticsOf({ calls, errors, timeouts, bytes, latency, longestMs }: ToolCounts): ToolStatistics {
  const quantile = (share: number) => latencyQuantile(latency, share, longestMs);
  const max = latency.length === 0 ? null : longestMs;
  return { calls, errors, timeouts, bytes, latencyMs: { p50: quantile(0.5), p95: quantile(0.95), max } };
}
