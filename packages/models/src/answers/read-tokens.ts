import { Float, type TokenCounts } from '@data-designer/core';

interface Details {
  readonly reasoning_tokens?: unknown;
  readonly cached_tokens?: unknown;
}

/** Tokens as endpoints tell them: under either of OpenAI's names, or as Anthropic does. */
interface ProviderUsage extends Details {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly completion_tokens_details?: Details | null;
  readonly output_tokens_details?: Details | null;
  readonly prompt_tokens_details?: Details | null;
  readonly input_tokens_details?: Details | null;
  /** Anthropic's, which its `input_tokens` leave out. */
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
}

/** What an answer took by its `usage`; null for what is not told. */
export function readTokens(usage: unknown): TokenCounts {
  const told = (usage ?? {}) as ProviderUsage;
  const prompt = countOf(told.prompt_tokens);
  const read = told.prompt_tokens_details ?? told.input_tokens_details;
  const written = told.completion_tokens_details ?? told.output_tokens_details;
  const apart = prompt === null ? countOf(told.cache_read_input_tokens) : null;
  const kept = prompt === null ? countOf(told.cache_creation_input_tokens) : null;
  const input = prompt ?? countOf(told.input_tokens);
  return {
    input: input === null ? null : input + (apart ?? 0) + (kept ?? 0),
    cachedInput: apart ?? countOf(read?.cached_tokens) ?? countOf(told.cached_tokens),
    output: countOf(told.completion_tokens) ?? countOf(told.output_tokens),
    reasoning: countOf(written?.reasoning_tokens) ?? countOf(told.reasoning_tokens),
  };
}

/** A number of tokens, null if it is none; some endpoints write it as `10.0`. */
function countOf(value: unknown): number | null {
  if (value instanceof Float) return value.value;
  return typeof value === 'number' ? value : null;
}
