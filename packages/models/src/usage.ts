import {
  type AnswerFlaw,
  type CallOutcome,
  costOfTokens,
  hasLostBackslash,
  holdsTemplateTokens,
  holdsThinkingTags,
  holdsToolCall,
  isBlank,
  noFlaws,
  type Pricing,
  splitThinking,
  type TokenCounts,
  type Tries,
} from '@data-designer/core';
import type { ChatAnswer } from './model-client.ts';
import { textOf } from './conversation-messages.ts';
import { WITHHELD } from './answers/model-refusals.ts';

const NO_COUNTS = {
  /** Requests sent, retries included. */
  requests: 0,
  /** Of these, those without a usable answer. */
  failedRequests: 0,
  /** Of the failed, those answered "too many requests". */
  refusedRequests: 0,
  /** Of the failed, those given up by the gateway or the endpoint (408) before an answer: they may be charged. */
  possiblyPaidRequests: 0,
  /** Answers without token counts: no count of tokens includes them. */
  unmeasuredAnswers: 0,
  /** All tokens read, cached ones included. */
  inputTokens: 0,
  cachedInputTokens: 0,
  /** All tokens written, reasoning included. */
  outputTokens: 0,
  reasoningTokens: 0,
  /** Of the reasoning tokens, those estimated from the length of the text because the endpoint reports none. */
  estimatedReasoningTokens: 0,
  /** Answers used in spite of a flaw. */
  ...noFlaws(),
  /** Answers used after tool calls that failed and succeeded later. */
  recoveredToolAnswers: 0,
  pictures: 0,
  toolCalls: 0,
  toolTurns: 0,
} as const;

/** The counts of some requests; every count adds up over rows, groups and runs. */
export type ModelCounts = { -readonly [Key in keyof typeof NO_COUNTS]: number };

/** The purpose of a request: first question, correction, restart, results of tools, or a probe of the model. */
export type Attempt = (typeof ATTEMPTS)[number];

const ATTEMPTS = ['first', 'correction', 'restart', 'toolTurn', 'probe'] as const;

/** The counts of one column, by purpose. */
export type ColumnUsage = Partial<Record<Attempt, ModelCounts>>;

/** The counts of one model alias, in all and by column. */
export interface ModelUsage extends ModelCounts {
  readonly columns: Record<string, ColumnUsage>;
}

/** Counts of zero. */
export function noCounts(): ModelCounts {
  return { ...NO_COUNTS };
}

/** The usage of a model alias before its first request. */
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

const COUNTS = Object.keys(NO_COUNTS) as readonly (keyof ModelCounts)[];

/** Adds the counts of `more` to `counts`. */
export function addCounts(counts: ModelCounts, more: Readonly<ModelCounts>): void {
  // An older usage log lacks the counts of newer versions.
  for (const key of COUNTS) counts[key] += more[key] ?? 0;
}

/** The requests behind an outcome. */
export function triesOf({ tries, status }: CallOutcome): Tries {
  return tries ?? { requests: 1, refused: status === 429 ? 1 : 0, possiblyPaid: status === 408 ? 1 : 0 };
}

/** Counts the requests of a call: all but the last failed, and the last too without an answer. Failed ones may report tokens. */
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

/** Counts the tokens of an answer. `reasoning` is its text, from which reasoning tokens are estimated if none are reported. */
export function countTokens(counts: ModelCounts, tokens: TokenCounts, reasoning: string | undefined): void {
  const { input, cachedInput, output, reasoning: reported } = tokens;
  if (input === null && output === null) counts.unmeasuredAnswers++;
  counts.inputTokens += input ?? 0;
  counts.cachedInputTokens += cachedInput ?? 0;
  counts.outputTokens += output ?? 0;
  const estimated = reported === null && reasoning ? Math.ceil(reasoning.length / CHARACTERS_PER_TOKEN) : 0;
  counts.estimatedReasoningTokens += estimated;
  counts.reasoningTokens += reported ?? estimated;
}

/** Finish reasons of answers truncated at their token limit. */
const CUT: ReadonlySet<string | null> = new Set(['length', 'max_tokens']);
/** The character that replaces bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD';

/** The flaws of an answer by itself (as in NeMo Data Designer). */
export function flawsOf({ message, finishReason, isNoText = false }: ChatAnswer): ReadonlySet<AnswerFlaw> {
  const text = textOf(message);
  const flaws = new Set<AnswerFlaw>();
  if (CUT.has(finishReason)) flaws.add('cut');
  if (finishReason === WITHHELD) flaws.add('filtered');
  if (isNoText) flaws.add('nonText');
  else if (isBlank(text) && !message.tool_calls?.length) flaws.add('empty');
  if (text.includes(REPLACEMENT) || !text.isWellFormed()) flaws.add('garbled');
  const { answer } = splitThinking(text);
  if (holdsToolCall(answer)) flaws.add('toolCallText');
  if (holdsThinkingTags(answer)) flaws.add('thinkingText');
  if (holdsTemplateTokens(answer)) flaws.add('templateTokens');
  if (hasLostBackslash(answer)) flaws.add('lostBackslash');
  return flaws;
}

/** Counts the flaws of an answer that is used. */
export function countFlaws(counts: ModelCounts, flaws: Iterable<AnswerFlaw>): void {
  for (const flaw of flaws) counts[`${flaw}Answers`]++;
}

/** An estimate: English text in most tokenisers. */
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
