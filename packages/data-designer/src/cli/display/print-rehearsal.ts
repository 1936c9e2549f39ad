import type { Rehearsal, WallBound, WallForecast } from '../../rehearsal/rehearsal.ts';
import { sayCost, sayCount, saySeconds } from '../../printing/format-numbers.ts';
import { textTable } from '../../printing/text-table.ts';

/** A rehearsal in words, for a terminal. */
export function printRehearsal(rehearsal: Rehearsal): string {
  const { rows, rowsMade, sample, models, wall, assumptions } = rehearsal;
  const made = rowsMade === rows ? '' : `, of which ${sayCount(rowsMade)} would be made`;
  return [
    `${sayCount(rows)} rows${made}; rehearsed with ${sayCount(sample.rows)} in ${saySeconds(sample.wallMs / 1000)}, made-up models and no key.`,
    ...sample.lost.map(
      (lost) => `${sayCount(lost.rows)} of the rehearsed rows lost in column '${lost.column}': ${lost.message}`,
    ),
    '',
    ...textTable([HEAD, ...models.map(modelLine), totalLine(rehearsal)], { rightFrom: 1 }),
    '',
    ...wallLines(wall),
    '',
    'This holds if:',
    ...assumptions.map((assumption) => `- ${assumption}`),
    '',
  ].join('\n');
}

const HEAD = ['model', 'requests', 'tokens read', 'written', 'cost'];

function modelLine(forecast: Rehearsal['models'][number]): string[] {
  const { alias, provider, model, requests, inputTokens, outputTokens, cost } = forecast;
  return [`${alias} (${provider}/${model})`, ...[requests, inputTokens, outputTokens].map(sayCount), sayKnown(cost)];
}

function totalLine({ requests, inputTokens, outputTokens, cost, models }: Rehearsal): string[] {
  const all = models.length === 0 ? 0 : cost;
  return ['in all', ...[requests, inputTokens, outputTokens].map(sayCount), sayKnown(all)];
}

function sayKnown(cost: number | null): string {
  return cost === null ? 'unknown' : sayCost(cost);
}

function wallLines({ ms, overheadMs, bounds, doubledMs }: WallForecast): string[] {
  const [bottleneck] = bounds;
  if (!bottleneck || bottleneck.ms === 0) return [`Wall time: ${saySeconds(ms / 1000)}.`];
  const doubled =
    doubledMs === null
      ? []
      : [`With twice the places for it: ${saySeconds(doubledMs / 1000)} (max_parallel_requests).`];
  return [
    `Wall time: ${saySeconds(ms / 1000)}. The bottleneck is ${sayBound(bottleneck)}.`,
    ...doubled,
    `Other bounds: ${bounds.slice(1).map(sayBoundTime).join('; ')}; beyond them ${saySeconds(overheadMs / 1000)}.`,
  ];
}

function sayBound({ kind, name, places }: WallBound): string {
  return kind === 'model' ? `${name} with ${places} places` : name;
}

function sayBoundTime(bound: WallBound): string {
  return `${sayBound(bound)} ${saySeconds(bound.ms / 1000)}`;
}
