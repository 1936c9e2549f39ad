import type { TokenCounts } from './model-client.ts';

/** What one model alias was asked and answered. Counts add up over rows, groups and runs. */
export interface ModelUsage {
  requests: number;
  failedRequests: number;
  inputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  toolCalls: number;
  toolTurns: number;
}

/** A count of nothing yet. */
export function noUsage(): ModelUsage {
  return {
    requests: 0,
    failedRequests: 0,
    inputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    toolCalls: 0,
    toolTurns: 0,
  };
}

/** Counts one answer in; unknown tokens count as none. */
export function countAnswer(usage: ModelUsage, tokens: TokenCounts): void {
  usage.requests++;
  usage.inputTokens += tokens.inputTokens ?? 0;
  usage.outputTokens += tokens.outputTokens ?? 0;
  usage.reasoningTokens += tokens.reasoningTokens ?? 0;
}

/** Adds the counts of `more` to `usage`. */
export function addUsage(usage: ModelUsage, more: Readonly<ModelUsage>): void {
  for (const key of Object.keys(usage) as (keyof ModelUsage)[]) usage[key] += more[key];
}
