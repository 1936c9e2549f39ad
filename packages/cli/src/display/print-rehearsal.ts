import { failedPart } from '@data-designer/core';
import type { Rehearsal, WallBound, WallForecast } from '@data-designer/rehearsal';
import { addCosts, costCell, formatCost, formatCount, formatDuration, textTable } from '@data-designer/printing';

/** A rehearsal as text for a terminal. */
export function printRehearsal(rehearsal: Rehearsal): string {
  const { counts, rows, rowsMade, sample, models, wall, assumptions } = rehearsal;
  const made = rowsMade === rows ? '' : `, of which ${formatCount(rowsMade)} would be made`;
  return [
    `${formatCount(rows)} ${counts}${made}${acceptedOf(rehearsal)}; rehearsed with ${formatCount(sample.rows)} in ${formatDuration(sample.wallMs / 1000)} with simulated models.`,
    ...sample.lost.map(
      (lost) =>
        `${formatCount(lost.rows)} of the rehearsed rows lost in ${failedPart(lost.column, lost.code)}: ${lost.message}`,
    ),
    '',
    ...textTable([HEAD, ...models.map(modelLine), totalLine(rehearsal)], { rightFrom: 1 }),
    '',
    ...wallLines(wall),
    '',
    'Assumptions:',
    ...assumptions.map((assumption) => `- ${assumption}`),
    '',
  ].join('\n');
}

/** How many of the candidates the selection accepts, if there is one. */
function acceptedOf({ counts, selected }: Rehearsal): string {
  if (counts === 'rows') return '';
  const accepted = selected ? `about ${formatCount(selected.rowsAccepted)}` : 'an unknown part';
  return `, of which the selection would accept ${accepted}`;
}

const HEAD = ['model', 'requests', 'input tokens', 'of them cached', 'output tokens', 'cost'];

function modelLine(forecast: Rehearsal['models'][number]): string[] {
  const { alias, provider, model, requests, inputTokens, cachedInputTokens, outputTokens, cost } = forecast;
  return [
    `${alias} (${provider}/${model})`,
    ...[requests, inputTokens, cachedInputTokens, outputTokens].map(formatCount),
    formatKnownCost(cost),
  ];
}

function totalLine({ requests, inputTokens, cachedInputTokens, outputTokens, models }: Rehearsal): string[] {
  const cost = costCell(addCosts(Object.fromEntries(models.map((model) => [model.alias, model]))));
  return ['total', ...[requests, inputTokens, cachedInputTokens, outputTokens].map(formatCount), cost];
}

function formatKnownCost(cost: number | null): string {
  return cost === null ? 'unknown' : formatCost(cost);
}

function wallLines({ ms, overheadMs, bounds, doubledMs }: WallForecast): string[] {
  const [bottleneck] = bounds;
  if (!bottleneck || bottleneck.ms === 0) return [`Wall time: ${formatDuration(ms / 1000)}.`];
  const doubled =
    doubledMs === null ? [] : [`With twice its max_parallel_requests: ${formatDuration(doubledMs / 1000)}.`];
  return [
    `Wall time: ${formatDuration(ms / 1000)}. The bottleneck is ${describeBound(bottleneck)}.`,
    ...doubled,
    `Other bounds: ${bounds.slice(1).map(describeBoundTime).join('; ')}; overhead ${formatDuration(overheadMs / 1000)}.`,
  ];
}

function describeBound({ kind, name, places }: WallBound): string {
  return kind === 'model' ? `${name} with ${places} parallel requests` : name;
}

function describeBoundTime(bound: WallBound): string {
  return `${describeBound(bound)} ${formatDuration(bound.ms / 1000)}`;
}
