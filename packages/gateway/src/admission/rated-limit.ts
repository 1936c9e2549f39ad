import type { PaidTokens } from '@data-designer/core';
import type { Ending, EndState, Grant, PermitSource, RateSetting, SentRequest } from './permit-source.ts';
import type { ResourceUse, ShareUse } from './cluster-limits.ts';
import { RateBucket } from './rate-bucket.ts';

/** The rates of a model, as its provider gives them. */
export interface Rates {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
}

/** The time of an exchange, and the state of this machine then. */
interface ShareTime {
  readonly time: number;
  readonly sinceMs: number;
  readonly isWaiting: boolean;
  readonly isGood: boolean;
}

type RateShares = Pick<ResourceUse, 'requestsPerMinute' | 'tokensPerMinute'>;

/** The tokens of a request before any was answered: those of a short prompt with a short answer. */
const FIRST_TOKENS = 1000;
/** Before any answer, a token of a request is estimated as four characters, and the answer has this many tokens. */
const FIRST_TOKENS_PER_CHAR = 1 / 4;
const FIRST_ANSWER_TOKENS = 500;
/** The weight of the latest answer in the estimate for the next one. */
const LATEST = 1 / 16;

/** The grant of the inner source, with the requests and tokens taken from the rates for it. */
interface RatedGrant extends Grant {
  tokens: number;
  bodyChars: number;
  isSent: boolean;
}

/**
 * Adds rates per minute to a permit source. A request takes one of the requests, and the tokens that are expected of it: the
 * mean when it is granted, then by the length of its body, then those that its answer tells.
 */
export class RatedLimit implements PermitSource {
  readonly #inner: PermitSource;
  readonly #rates: Rates;
  readonly #requests: RateBucket | undefined;
  readonly #tokens: RateBucket | undefined;
  /** Means of the answers so far. */
  #meanTokens = FIRST_TOKENS;
  #tokensPerChar = FIRST_TOKENS_PER_CHAR;
  #answerTokens = FIRST_ANSWER_TOKENS;
  #hasAnswer = false;

  /** With `isShare` the rates are those of a cluster: nothing is granted before `takeShares`. */
  constructor(inner: PermitSource, rates: Rates, { isShare = false } = {}) {
    const bucket = (rate: number | undefined): RateBucket | undefined =>
      rate === undefined ? undefined : new RateBucket(isShare ? 0 : rate);
    this.#inner = inner;
    this.#rates = rates;
    this.#requests = bucket(rates.requestsPerMinute);
    this.#tokens = bucket(rates.tokensPerMinute);
  }

  get size(): number {
    return this.#inner.size;
  }

  get countsTokens(): boolean {
    return this.#tokens !== undefined;
  }

  permits(time: number): number {
    const permits = this.#inner.permits(time);
    return this.#longestWait(time) ? 0 : permits;
  }

  untilMore(time: number): number | undefined {
    const inner = this.#inner.untilMore(time);
    const wait = this.#longestWait(time);
    if (!wait) return inner;
    return this.#inner.permits(time) > 0 ? wait.ms : Math.max(wait.ms, inner ?? 0);
  }

  rateWait(time: number): RateSetting | undefined {
    return this.#inner.permits(time) > 0 ? this.#longestWait(time)?.setting : undefined;
  }

  grant(inFlight: number, time: number): Grant {
    const inner = this.#inner.grant(inFlight, time);
    const tokens = this.#meanTokens;
    this.#requests?.take(1, time);
    this.#tokens?.take(tokens, time);
    const rated: RatedGrant = { ...inner, tokens, bodyChars: 0, isSent: false };
    return rated;
  }

  sent(grant: Grant, at: SentRequest): void {
    this.#inner.sent(grant, at);
    const rated = grant as RatedGrant;
    rated.isSent = true;
    rated.bodyChars = at.bodyChars;
    this.#correct(rated, at.bodyChars * this.#tokensPerChar + this.#answerTokens, at.time);
  }

  end(grant: Grant, ending: Ending, now: EndState): void {
    this.#inner.end(grant, ending, now);
    const rated = grant as RatedGrant;
    if (!rated.isSent) this.#requests?.take(-1, now.time);
    if (!rated.isSent || ending.kind === 'refused') this.#correct(rated, 0, now.time);
    else if (now.tokens) {
      this.#correct(rated, now.tokens.input + now.tokens.output, now.time);
      this.#learn(rated, now.tokens);
    }
  }

  /** This machine's shares of the rates, and what it could use: a quarter more than it used, or all while calls wait. */
  sharesUsed(now: ShareTime): RateShares {
    const { requestsPerMinute, tokensPerMinute } = this.#rates;
    return {
      ...(this.#requests && { requestsPerMinute: useOf(this.#requests, requestsPerMinute ?? 0, now) }),
      ...(this.#tokens && { tokensPerMinute: useOf(this.#tokens, tokensPerMinute ?? 0, now) }),
    };
  }

  /** Takes new shares of the rates. */
  takeShares({ requestsPerMinute = 0, tokensPerMinute = 0 }: Rates, time: number): void {
    this.#requests?.setRate(requestsPerMinute, time);
    this.#tokens?.setRate(tokensPerMinute, time);
  }

  #correct(grant: RatedGrant, tokens: number, time: number): void {
    this.#tokens?.take(tokens - grant.tokens, time);
    grant.tokens = tokens;
  }

  #learn({ bodyChars }: RatedGrant, { input, output }: PaidTokens): void {
    const weight = this.#hasAnswer ? LATEST : 1;
    this.#hasAnswer = true;
    this.#meanTokens += weight * (input + output - this.#meanTokens);
    this.#answerTokens += weight * (output - this.#answerTokens);
    if (bodyChars > 0) this.#tokensPerChar += weight * (input / bodyChars - this.#tokensPerChar);
  }

  #longestWait(time: number): { readonly ms: number; readonly setting: RateSetting } | undefined {
    const requests = this.#requests?.waitMs(1, time) ?? 0;
    const tokens = this.#tokens?.waitMs(this.#meanTokens, time) ?? 0;
    if (requests === 0 && tokens === 0) return undefined;
    return requests >= tokens
      ? { ms: requests, setting: 'requests_per_minute' }
      : { ms: tokens, setting: 'tokens_per_minute' };
  }
}

const MINUTE_MS = 60_000;
const SPARE = 1.25;

function useOf(bucket: RateBucket, rate: number, { time, sinceMs, isWaiting, isGood }: ShareTime): ShareUse {
  const used = Math.max(0, bucket.readTaken()) * (MINUTE_MS / Math.max(1, sinceMs)) * SPARE;
  const wanted = isWaiting ? rate : Math.min(rate, used);
  const held = isGood ? Math.min(bucket.perMinute, wanted) : 0;
  bucket.setRate(held, time);
  return { held, wanted };
}
