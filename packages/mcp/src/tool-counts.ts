import type { ToolFailureKind } from '@data-designer/core';
import { addLatencies, countLatency, latencyQuantile } from './latency-histogram.ts';
import { addFailures, countFailures, type FailedCalls, type FailureCounts, failuresIn } from './tool-failure-reason.ts';

/** The counts of a tool's calls; plain data that adds up over threads and runs. */
export interface ToolCounts {
  /** The provider's name of the tool; absent if the counts stand under it. */
  readonly tool?: string;
  calls: number;
  /** Failed calls, timeouts included. */
  errors: number;
  timeouts: number;
  /** The failed calls by kind and reason. */
  readonly failures: FailureCounts;
  /** Bytes of the results in UTF-8, before any cut. */
  bytes: number;
  /** Times of the calls that reached the tool; a replayed call counts with its first time. */
  latency: number[];
  longestMs: number;
}

/** The statistics of a tool's calls. */
export interface ToolStatistics {
  /** The provider of the tool; null for tools that do not exist. */
  readonly provider: string | null;
  readonly calls: number;
  readonly errors: number;
  readonly timeouts: number;
  /** Why calls failed, the most frequent reason first. */
  readonly failures: readonly FailedCalls[];
  readonly bytes: number;
  /** Milliseconds, quantiles to within a fifth; null if no call reached the tool. */
  readonly latencyMs: { readonly p50: number | null; readonly p95: number | null; readonly max: number | null };
}

/** The subject of a count: a tool of a provider, or an unknown name. */
export interface CountedTool {
  readonly provider?: string;
  readonly name: string;
}

/** One finished call. */
export interface CountedCall {
  /** Why it failed; absent for a success. */
  readonly failure?: { readonly kind: ToolFailureKind; readonly reason: string };
  readonly bytes: number;
  /** Undefined for a call that did not reach the tool. */
  readonly elapsedMs: number | undefined;
}

function noCounts(tool: string | undefined): ToolCounts {
  const named = tool === undefined ? {} : { tool };
  return { ...named, calls: 0, errors: 0, timeouts: 0, failures: {}, bytes: 0, latency: [], longestMs: 0 };
}

/** Counts one call; tools of one name at several providers are counted apart. */
export function countCall(
  total: Record<string, ToolCounts>,
  { provider, name }: CountedTool,
  { failure, bytes, elapsedMs }: CountedCall,
): void {
  const counts = provider === undefined ? countsOf(total, name) : countsOf(total, `${provider}/${name}`, name);
  counts.calls++;
  if (failure) {
    counts.errors++;
    countFailures(counts.failures, { ...failure, calls: 1 });
  }
  if (failure?.kind === 'timeout') counts.timeouts++;
  counts.bytes += bytes;
  if (elapsedMs === undefined) return;
  countLatency(counts.latency, elapsedMs);
  counts.longestMs = Math.max(counts.longestMs, elapsedMs);
}

/** Counts of a usage log; version 0.1 stored no reasons. */
type StoredCounts = Omit<ToolCounts, 'failures'> & Partial<Pick<ToolCounts, 'failures'>>;

/** Adds counts by tool to `total`, as copies. */
export function addToolCounts(total: Record<string, ToolCounts>, more: Readonly<Record<string, StoredCounts>>): void {
  for (const [key, { tool, calls, errors, timeouts, failures, bytes, latency, longestMs }] of Object.entries(more)) {
    const counts = countsOf(total, key, tool);
    counts.calls += calls;
    counts.errors += errors;
    counts.timeouts += timeouts;
    if (failures) addFailures(counts.failures, failures);
    counts.bytes += bytes;
    addLatencies(counts.latency, latency);
    counts.longestMs = Math.max(counts.longestMs, longestMs);
  }
}

/** The counts under a key, which may be that of something every object has. */
function countsOf(total: Record<string, ToolCounts>, key: string, tool?: string): ToolCounts {
  const known = Object.hasOwn(total, key) ? total[key] : undefined;
  return known ?? (total[key] = noCounts(tool));
}

/** Statistics by tool name; by `provider/tool` if calls went to several tools of that name. */
export function toolStatistics(counts: Readonly<Record<string, ToolCounts>>): Record<string, ToolStatistics> {
  const named = Object.entries(counts).map(([key, one]) => ({ key, name: one.tool ?? key, one }));
  const times = new Map<string, number>();
  for (const { name } of named) times.set(name, (times.get(name) ?? 0) + 1);
  const isSure = (name: string): boolean => times.get(name) === 1 && !Object.hasOwn(counts, name);
  return Object.fromEntries(named.map(({ key, name, one }) => [isSure(name) ? name : key, statisticsOf(key, one)]));
}

function statisticsOf(key: string, counts: ToolCounts): ToolStatistics {
  const { tool, calls, errors, timeouts, bytes, latency, longestMs } = counts;
  const quantile = (share: number) => latencyQuantile(latency, share, longestMs);
  const max = latency.length === 0 ? null : longestMs;
  const provider = tool === undefined ? null : key.slice(0, -tool.length - 1);
  const failures = failuresIn(counts.failures);
  return {
    provider,
    calls,
    errors,
    timeouts,
    failures,
    bytes,
    latencyMs: { p50: quantile(0.5), p95: quantile(0.95), max },
  };
}
