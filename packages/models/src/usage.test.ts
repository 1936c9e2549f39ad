import { expect, test } from 'vitest';
import { outcome } from '../test/canned-gateway.ts';
import { pricedUsage } from './priced-usage.ts';
import { addUsage, costOf, countRequests, countTokens, flawsOf, noCounts, noUsage, triesOf } from './usage.ts';

const NOTHING = { input: null, cachedInput: null, output: null, reasoning: null };
const PRICING = { input: 2, output: 10, cachedInput: 0.5, image: null };

test('usage adds up over groups, in total and by column and attempt', () => {
  const group = { ...noUsage(), requests: 3, columns: { a: { first: { ...noCounts(), requests: 2 } } } };
  const other = { ...noUsage(), requests: 1, columns: { a: { restart: { ...noCounts(), requests: 1 } }, b: {} } };
  const total = noUsage();
  for (const part of [group, other, group]) addUsage(total, structuredClone(part));
  expect(total.requests).toBe(7);
  expect(total.columns.a?.first?.requests).toBe(4);
  expect(total.columns.a?.restart?.requests).toBe(1);
  expect(group.columns.a.first.requests).toBe(2);
});

test('an outcome of several requests counts them all, and only the last as answered', () => {
  const counts = noCounts();
  const tries = { requests: 4, refused: 2, possiblyPaid: 1 };
  countRequests(counts, triesOf(outcome('{}', { tries })), true);
  expect(counts).toMatchObject({ requests: 4, failedRequests: 3, refusedRequests: 2, possiblyPaidRequests: 1 });
  countRequests(counts, triesOf(outcome('{}', { status: 429 })), false);
  expect(counts).toMatchObject({ requests: 5, failedRequests: 4, refusedRequests: 3 });
  countRequests(counts, triesOf(outcome('{}', { status: 408 })), false);
  expect(counts).toMatchObject({ requests: 6, failedRequests: 5, refusedRequests: 3, possiblyPaidRequests: 2 });
});

test('unreported reasoning tokens are estimated from the text, and marked as estimates', () => {
  const counts = noCounts();
  countTokens(counts, { ...NOTHING, input: 5, output: 9, reasoning: 4 }, 'x'.repeat(100));
  expect(counts).toMatchObject({ reasoningTokens: 4, estimatedReasoningTokens: 0 });
  countTokens(counts, { ...NOTHING, input: 5, output: 9 }, 'x'.repeat(41));
  expect(counts).toMatchObject({ reasoningTokens: 15, estimatedReasoningTokens: 11, outputTokens: 18 });
  countTokens(counts, NOTHING, undefined);
  expect(counts.unmeasuredAnswers).toBe(1);
});

const counted = {
  ...noCounts(),
  requests: 1,
  inputTokens: 1_000_000,
  cachedInputTokens: 400_000,
  outputTokens: 200_000,
};

test.each([
  [counted, PRICING, 0.6 * 2 + 0.4 * 0.5 + 0.2 * 10],
  [counted, { ...PRICING, cachedInput: null }, 2 + 0.2 * 10],
  [counted, null, null],
  [noCounts(), PRICING, 0],
  [{ ...noCounts(), requests: 3, failedRequests: 3 }, PRICING, 0],
  [{ ...noCounts(), requests: 3, unmeasuredAnswers: 3 }, PRICING, null],
  [{ ...noCounts(), requests: 2, unmeasuredAnswers: 2, pictures: 3 }, { ...PRICING, image: 0.04 }, 0.12],
  [{ ...noCounts(), requests: 2, unmeasuredAnswers: 2, pictures: 3 }, PRICING, null],
])('the cost of %j at %j is %d', (counts, pricing, cost) => {
  const found = costOf(counts, pricing);
  expect(found === null ? null : Number(found.toFixed(9))).toBe(cost);
});

test('costs are added in total, by column and by attempt, and stay unknown without a price', () => {
  const usage = { ...noUsage(), ...counted, columns: { a: { first: counted, correction: noCounts() } } };
  const priced = pricedUsage(
    { known: usage, unknown: usage },
    { known: { pricing: PRICING }, unknown: { pricing: null } },
  );
  expect(priced.known).toMatchObject({ cost: 3.4, columns: { a: { first: { cost: 3.4 }, correction: { cost: 0 } } } });
  expect(priced.unknown).toMatchObject({ cost: null, columns: { a: { first: { cost: null } } } });
});

test.each([
  ['half', 'content_filter', ['filtered']],
  ['half', 'length', ['cut']],
  ['whole', 'stop', []],
  ['a half character: \ud83d', 'stop', ['garbled']],
  ['bytes: \ufffd', 'stop', ['garbled']],
])('the flaws of the answer %j with the finish reason %s', (content, finishReason, flaws) => {
  const answer = { message: { role: 'assistant' as const, content }, finishReason, model: null };
  expect([...flawsOf(answer)]).toEqual(flaws);
});
