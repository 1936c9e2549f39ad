import { type CallOutcome, costOfTokens, type Pricing, type TokenCounts, type Tries } from '@data-designer/core';
import type { ChatAnswer } from './model-client.ts';
import { textOf } from './said-messages.ts';

/** What was counted of some requests; every count adds up over rows, groups and runs. */
export interface ModelCounts {
  /** Requests sent, also those that were tried again. */
  requests: number;
  /** Of these, those without an answer that could be used. */
  failedRequests: number;
  /** Of the failed, those answered "too many requests". */
  refusedRequests: number;
  /** Of the failed, those given up before an answer came, here or (408) there: the endpoint may charge for them. */
  possiblyPaidRequests: number;
  /** Answers whose tokens the endpoint did not tell: they are in no count of tokens. */
  unmeasuredAnswers: number;
  /** All that was read, cached input included. */
  inputTokens: number;
  cachedInputTokens: number;
  /** All that was written, reasoning included. */
  outputTokens: number;
  reasoningTokens: number;
  /** Of the reasoning tokens, those estimated from the length of the text because the endpoint did not tell. */
  estimatedReasoningTokens: number;
  /** Answers that were taken though something is wrong with them: cut off at their token limit, */
  cutAnswers: number;
  /** without a word and without a call, */
  emptyAnswers: number;
  /** with content that is no text, */
  nonTextAnswers: number;
  /** with bytes that were no UTF-8. */
  garbledAnswers: number;
  pictures: number;
  toolCalls: number;
  toolTurns: number;
}

/** Why a request was made: to begin, with a correction, to start over, with what tools gave, or to see what a model can do. */
export type Attempt = (typeof ATTEMPTS)[number];

const ATTEMPTS = ['first', 'correction', 'restart', 'toolTurn', 'probe'] as const;

/** The counts of one column, by what the requests were made for. */
export type ColumnUsage = Partial<Record<Attempt, ModelCounts>>;

/** What one model alias was asked and answered, in all and by column. */
export interface ModelUsage extends ModelCounts {
  readonly columns: Record<string, ColumnUsage>;
}

/** Counts of nothing yet. */
export function noCounts(): ModelCounts {
  return {
    requests: 0,
    failedRequests: 0,
    refusedRequests: 0,
    possiblyPaidRequests: 0,
    unmeasuredAnswers: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    estimatedReasoningTokens: 0,
    cutAnswers: 0,
    emptyAnswers: 0,
    nonTextAnswers: 0,
    garbledAnswers: 0,
    pictures: 0,
    toolCalls: 0,
    toolTurns: 0,
  };
}

/** The usage of a model alias that was asked nothing yet. */
export function noUsage(): ModelUsage {
  return { ...noCounts(), columns: {} };
}

/** Adds the usage of `more` to `usage`, in all and by column. */
export function addUsage(usage: ModelUsage, more: Readonly<ModelUsage>): void {
  addCounts(usage, more);
  for (const [column, attempts] of Object.entries(more.columns)) {
    const own = (usage.columns[column] ??= {});
    for (const attempt of ATTEMPTS) {
      const counts = attempts[attempt];
      if (counts) addCounts((own[attempt] ??= noCounts()), counts);
    }
  }
}

const COUNTS = Object.keys(noCounts()) as readonly (keyof ModelCounts)[];

/** Adds the counts of `more` to `counts`. */
export function addCounts(counts: ModelCounts, more: Readonly<ModelCounts>): void {
  // Counts that a newer version brought are in no older usage log.
  for (const key of COUNTS) counts[key] += more[key] ?? 0;
}

/** The requests behind an outcome. */
export function triesOf({ tries, status }: CallOutcome): Tries {
  return tries ?? { requests: 1, refused: status === 429 ? 1 : 0, possiblyPaid: status === 408 ? 1 : 0 };
}

/** Counts the requests of a call: all of them failed but, where there is an answer, the last. Some told tokens all the same. */
export function countRequests(counts: ModelCounts, tries: Tries, answered: boolean): void {
  counts.requests += tries.requests;
  counts.failedRequests += tries.requests - (answered ? 1 : 0);
  counts.refusedRequests += tries.refused;
  counts.possiblyPaidRequests += tries.possiblyPaid;
  const { input = 0, cachedInput = 0, output = 0 } = tries.spent ?? {};
  counts.inputTokens += input;
  counts.cachedInputTokens += cachedInput;
  counts.outputTokens += output;
}

/** Counts the tokens of an answer. `reasoning` is its text: four characters are taken for a token where none are told. */
export function countTokens(counts: ModelCounts, tokens: TokenCounts, reasoning: string | undefined): void {
  const { input, cachedInput, output, reasoning: told } = tokens;
  if (input === null && output === null) counts.unmeasuredAnswers++;
  counts.inputTokens += input ?? 0;
  counts.cachedInputTokens += cachedInput ?? 0;
  counts.outputTokens += output ?? 0;
  const estimated = told === null && reasoning ? Math.ceil(reasoning.length / CHARACTERS_PER_TOKEN) : 0;
  counts.estimatedReasoningTokens += estimated;
  counts.reasoningTokens += told ?? estimated;
}

/** Finish reasons of answers that were cut off at their token limit. */
const CUT: ReadonlySet<string | null> = new Set(['length', 'max_tokens']);
/** What stands for bytes that are no UTF-8. */
const REPLACEMENT = '\uFFFD';

/** Counts what is wrong with an answer that is taken all the same (as in NeMo Data Designer). */
export function countFlaws(counts: ModelCounts, { message, finishReason, isNoText = false }: ChatAnswer): void {
  const text = textOf(message);
  if (CUT.has(finishReason)) counts.cutAnswers++;
  if (isNoText) counts.nonTextAnswers++;
  else if (text.trim() === '' && !message.tool_calls?.length) counts.emptyAnswers++;
  if (text.includes(REPLACEMENT)) counts.garbledAnswers++;
}

/** What English text has for most tokenisers: an estimate. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * What the counted answers cost, in the currency of the prices; the same whatever the order in which they were added
 * up. Null where there are no prices, or where no answer said what it took. What may have been charged for requests
 * without an answer is not in it.
 */
export function costOf(counts: Readonly<ModelCounts>, pricing: Pricing | null): number | null {
  if (pricing === null) return null;
  const answers = counts.requests - counts.failedRequests;
  const pricedPictures = pricing.image === null ? 0 : counts.pictures;
  if (answers > 0 && counts.unmeasuredAnswers >= answers && pricedPictures === 0) return null;
  const { inputTokens: input, cachedInputTokens: cachedInput, outputTokens: output } = counts;
  return costOfTokens({ input, cachedInput, output }, pricing) + pricedPictures * (pricing.image ?? 0);
}
