import type { DataDesignerError, Plan } from '@data-designer/core';
import { formatFineShare } from '@data-designer/printing/format-numbers';
import { describeSelection } from './forecast-selection.ts';
import type { Rehearsal } from './rehearsal.ts';
import type { RehearsalRates } from './rehearsal-options.ts';

/** The input of the assumptions. */
export interface AssumptionParts {
  readonly real: Plan;
  readonly rates: RehearsalRates;
  /** Tool aliases that models were not offered. */
  readonly withoutTools: readonly string[];
  /** The time limit of the real run; null without one. */
  readonly maxDurationSeconds: number | null;
  /** Why the sample ended early; undefined if it did not. */
  readonly ended: DataDesignerError | undefined;
}

/** The assumptions behind the figures of a rehearsal, as sentences. */
export function assumptionsOf(forecast: Omit<Rehearsal, 'assumptions'>, parts: AssumptionParts): readonly string[] {
  const { sample, rows, counts } = forecast;
  const asksModels = parts.real.columns.some(({ requires }) => requires.models.length > 0);
  return [
    rows > sample.rows
      ? `The other ${counts} are like the first ${sample.rows}, of which ${sample.rowsMade} were made.`
      : `All ${sample.rows} ${counts} were rehearsed, of which ${sample.rowsMade} were made.`,
    ...(parts.real.select ? [describeSelection(parts.real, rows, forecast.selected)] : []),
    ...endedSentences(parts),
    ...attemptSentences(forecast, parts),
    ...(asksModels ? modelSentences(parts) : []),
    ...(forecast.cachedInputTokens > 0 ? [CACHED] : []),
    'Wall time is the largest bound plus the overhead of the sample; this machine runs nothing else.',
    ...(asksModels && parts.rates.errorRate > 0 ? [WAITS] : []),
    ...costSentences(forecast, parts),
    ...timeSentences(forecast, parts),
  ];
}

const CACHED =
  'Cached tokens are the part of each prompt that repeats the request before in its conversation; many providers cache prompts from 1,024 tokens on.';

const WAITS = 'Retry waits beyond that bound grow with the rows, which is too much if many rows wait at once.';

function attemptSentences(
  { attempts = {} }: Pick<Rehearsal, 'attempts'>,
  { rates }: AssumptionParts,
): readonly string[] {
  return Object.entries(attempts).map(
    ([
      block,
      {
        passRate,
        attemptsPerRow,
        bounds: [fewest, most],
        accepted,
      },
    ]) => {
      if (passRate === null)
        return `Each row has ${most} attempts of '${block}'; ${formatFineShare(accepted)} of the rows keep what it asks for.`;
      const mean = `a row has ${attemptsPerRow.toFixed(2)} attempts (from ${fewest} to ${most})`;
      if (rates.passRate !== undefined)
        return `'${block}' accepts ${formatFineShare(passRate)} of its attempts, as given: ${mean}.`;
      if (passRate === 0)
        return `'${block}' accepts no simulated answer, so ${mean}: give the share that it will accept (--pass-rate, or passRate).`;
      return `'${block}' accepts ${formatFineShare(passRate)} of its attempts, as with the simulated answers: ${mean}. Real models may pass more or less often (--pass-rate, or passRate).`;
    },
  );
}

function endedSentences({ ended }: AssumptionParts): readonly string[] {
  return ended ? [`The sample ended early, so the figures are too low: ${ended.message}`] : [];
}

function modelSentences(parts: AssumptionParts): readonly string[] {
  const { rates } = parts;
  return [
    `A model answers after ${describeLatency(rates.latency)}${rates.tokensPerSecond === undefined ? '' : `, then writes ${rates.tokensPerSecond} tokens per second`}.`,
    rates.errorRate === 0
      ? 'No request fails.'
      : `${formatFineShare(rates.errorRate)} of the requests fail with status 500 and are retried.`,
    describeAnswerLength(rates),
    'A token is estimated as four characters; reasoning is not counted.',
    'Endpoints serve max_parallel_requests parallel requests, and support structured output.',
    ...toolSentences(parts),
  ];
}

function describeLatency(form: string): string {
  const [shape = '', first = '', second = ''] = form.split(':');
  if (shape === 'lognormal') return `a median of ${first} ms (lognormal, sigma ${second})`;
  return shape === 'uniform' ? `${first} to ${second} ms` : `${shape} ms`;
}

function describeAnswerLength({ outputTokens }: RehearsalRates): string {
  if (outputTokens === undefined)
    return "Answers are as long as the simulator's: a few sentences, or as long as their schema needs.";
  const structured = 'others as long as their schema needs';
  if (outputTokens === 'max') return `Answers of plain text are as long as max_tokens allows, ${structured}.`;
  return `Answers of plain text have ${outputTokens} tokens, or max_tokens if that is less, ${structured}.`;
}

function toolSentences({ real, rates, withoutTools }: AssumptionParts): readonly string[] {
  const worlds = new Set(real.environments?.map(({ name }) => name));
  const offered = Object.values(real.tools).filter(({ alias }) => !withoutTools.includes(alias));
  const called = new Set(offered.flatMap(({ providers }) => providers));
  const environments = [...called].filter((name) => worlds.has(name));
  const sentences: string[] = [];
  if (withoutTools.length > 0) {
    const left = `models were not offered ${quotedList(withoutTools)}. The figures exclude turns with`;
    sentences.push(called.size === 0 ? `No tool was called: ${left} tools.` : `${capitalized(left)} their tools.`);
  }
  const inTurns = 'simulated models call tools in up to two turns.';
  if (called.size > environments.length)
    sentences.push(`${rates.withTools ? 'The real tools' : 'The built-in tools'} were called; ${inTurns}`);
  if (environments.length > 0)
    sentences.push(`The tools of ${quotedList(environments)} were called in the environments of the rows; ${inTurns}`);
  return sentences;
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function costSentences({ models, cost }: Omit<Rehearsal, 'assumptions'>, { real }: AssumptionParts): readonly string[] {
  const unpriced = models.flatMap(({ alias, requests, cost: own }) =>
    own === null && requests > 0 ? [`'${alias}'`] : [],
  );
  const unknown =
    unpriced.length > 0 ? [`No price is known for ${unpriced.join(', ')}: set 'pricing' or --prices.`] : [];
  const { maxCost } = real;
  const known = models.reduce((sum, { cost: own }) => sum + (own ?? 0), 0);
  if (maxCost === null || (cost ?? known) <= maxCost) return unknown;
  const share = formatFineShare(maxCost / known);
  return [...unknown, `The run would stop at its max_cost of ${maxCost}, after about ${share} of the rows.`];
}

function timeSentences({ wall }: Omit<Rehearsal, 'assumptions'>, { maxDurationSeconds }: AssumptionParts): string[] {
  if (maxDurationSeconds === null || wall.ms <= 1000 * maxDurationSeconds) return [];
  const share = formatFineShare((1000 * maxDurationSeconds) / wall.ms);
  return [`The run would stop at its max_duration_seconds of ${maxDurationSeconds}, after about ${share} of the rows.`];
}
