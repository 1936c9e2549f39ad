import type { DataDesignerError, Plan } from '@data-designer/core';
import type { Rehearsal } from './rehearsal.ts';
import type { RehearsalRates } from './rehearsal-options.ts';

/** What assumptions are told from. */
export interface AssumptionParts {
  readonly real: Plan;
  readonly rates: RehearsalRates;
  /** Sets of tools that models were told nothing of. */
  readonly withoutTools: readonly string[];
  /** Of the real run; null where it may take any time. */
  readonly maxDurationSeconds: number | null;
  /** Why the sample ended before all its rows were made; undefined where it came to its end. */
  readonly ended: DataDesignerError | undefined;
}

/** What the figures of a rehearsal rest on, in sentences. */
export function assumptionsOf(forecast: Omit<Rehearsal, 'assumptions'>, parts: AssumptionParts): readonly string[] {
  const { sample, rows } = forecast;
  const asksModels = parts.real.columns.some(({ requires }) => requires.models.length > 0);
  return [
    `The other rows are like the first ${sample.rows}, of which ${sample.rowsMade} were made${rows > sample.rows ? '' : ': all there are'}.`,
    ...endedSentences(parts),
    ...(asksModels ? modelSentences(parts) : []),
    'Wall time is the largest bound and what the sample took beyond its own; this machine does nothing else.',
    ...(asksModels && parts.rates.errorRate > 0 ? [WAITS] : []),
    ...costSentences(forecast, parts),
    ...timeSentences(forecast, parts),
  ];
}

const WAITS = 'Waits between tries longer than that bound grow with the rows: too much where many rows wait at once.';

function endedSentences({ ended }: AssumptionParts): readonly string[] {
  return ended ? [`The sample ended early, and the figures are too low: ${ended.message}`] : [];
}

function modelSentences(parts: AssumptionParts): readonly string[] {
  const { rates } = parts;
  return [
    `A model answers after ${sayLatency(rates.latency)}${rates.tokensPerSecond === undefined ? '' : `, and writes ${rates.tokensPerSecond} tokens a second after that`}.`,
    rates.errorRate === 0
      ? 'No request fails.'
      : `${sayShare(rates.errorRate)} of the requests fail with status 500 and are tried again.`,
    sayLength(rates),
    'Tokens are estimated at four characters each; thinking is not counted.',
    'Endpoints serve as many requests at a time as max_parallel_requests says, and hold answers to JSON Schemas.',
    ...toolSentences(parts),
  ];
}

function sayLatency(form: string): string {
  const [shape = '', first = '', second = ''] = form.split(':');
  if (shape === 'lognormal') return `${first} ms in the median (lognormal, sigma ${second})`;
  return shape === 'uniform' ? `${first} to ${second} ms` : `${shape} ms`;
}

function sayShare(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

function sayLength({ outputTokens }: RehearsalRates): string {
  if (outputTokens === undefined)
    return "Answers are as long as the simulator's: a few sentences, or what a schema needs.";
  const structured = 'others as long as a schema needs';
  if (outputTokens === 'max') return `Answers of plain text are as long as max_tokens allows, ${structured}.`;
  return `Answers of plain text have ${outputTokens} tokens, or max_tokens where that is less, ${structured}.`;
}

function toolSentences({ real, rates, withoutTools }: AssumptionParts): readonly string[] {
  const aliases = Object.keys(real.tools);
  if (aliases.length === 0) return [];
  if (withoutTools.length > 0) {
    const names = withoutTools.map((alias) => `'${alias}'`).join(', ');
    return [`No tool was called: models were told nothing of ${names}. The turns with tools are not in the figures.`];
  }
  const called = rates.withTools ? 'The real tools were called' : 'The built-in tools were called';
  return [`${called}; made-up models ask for them in up to two turns.`];
}

function costSentences({ models, cost }: Omit<Rehearsal, 'assumptions'>, { real }: AssumptionParts): readonly string[] {
  const unpriced = models.flatMap(({ alias, requests, cost: own }) =>
    own === null && requests > 0 ? [`'${alias}'`] : [],
  );
  const unknown =
    unpriced.length > 0 ? [`No price is known for ${unpriced.join(', ')}: set 'pricing', or give --prices.`] : [];
  const { maxCost } = real;
  const known = models.reduce((sum, { cost: own }) => sum + (own ?? 0), 0);
  if (maxCost === null || (cost ?? known) <= maxCost) return unknown;
  const share = sayShare(maxCost / known);
  return [...unknown, `The run would stop at its max_cost of ${maxCost}, after about ${share} of the rows.`];
}

function timeSentences({ wall }: Omit<Rehearsal, 'assumptions'>, { maxDurationSeconds }: AssumptionParts): string[] {
  if (maxDurationSeconds === null || wall.ms <= 1000 * maxDurationSeconds) return [];
  const share = sayShare((1000 * maxDurationSeconds) / wall.ms);
  return [`The run would stop at its max_duration_seconds of ${maxDurationSeconds}, after about ${share} of the rows.`];
}
