import { fieldsOf, Float, type TokenCounts } from '@data-designer/core';

/**
 * The tokens of an answer by its `usage`, in OpenAI's two spellings or Anthropic's; null for absent counts. If one of them
 * cannot be a number of tokens, the answer counts as unmeasured: its cost would be wrong.
 */
export function readTokens(usage: unknown): TokenCounts {
  const counts = countsIn(usage);
  const isPossible = Object.values(counts).every((count) => count === null || isTokens(count));
  return isPossible ? counts : { input: null, cachedInput: null, output: null, reasoning: null };
}

function isTokens(count: number): boolean {
  return count >= 0 && count <= MOST_TOKENS;
}

/** No answer has so many tokens. */
const MOST_TOKENS = 1e9;

function countsIn(usage: unknown): TokenCounts {
  const told = fieldsOf(usage);
  const prompt = countOf(told.prompt_tokens);
  const read = fieldsOf(told.prompt_tokens_details ?? told.input_tokens_details);
  const written = fieldsOf(told.completion_tokens_details ?? told.output_tokens_details);
  // Anthropic's `input_tokens` leave these out.
  const apart = prompt === null ? countOf(told.cache_read_input_tokens) : null;
  const kept = prompt === null ? countOf(told.cache_creation_input_tokens) : null;
  const input = prompt ?? countOf(told.input_tokens);
  return {
    input: input === null ? null : input + (apart ?? 0) + (kept ?? 0),
    cachedInput: apart ?? countOf(read.cached_tokens) ?? countOf(told.cached_tokens),
    output: countOf(told.completion_tokens) ?? countOf(told.output_tokens),
    reasoning: countOf(written.reasoning_tokens) ?? countOf(told.reasoning_tokens),
  };
}

/** A number of tokens, null if it is none; some endpoints write it as `10.0`. */
function countOf(value: unknown): number | null {
  if (value instanceof Float) return value.value;
  const { rawJSON: written } = fieldsOf(value);
  if (typeof written === 'string') return Number(written);
  return typeof value === 'number' ? value : null;
}
