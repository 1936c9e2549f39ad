import { type DatasetProfile, NOT_CALCULATED, type ScoreProfile } from '@data-designer/profile';
import { formatCost, pluralize } from '../printing/format-numbers.ts';
import { numbersPlot, plot } from './column-cards.ts';
import { formatFigure } from './column-facts.ts';
import { escapeHtml } from '../printing/escape-html.ts';
import { barChart, correlationGrid } from './svg-charts.ts';

/** The maximum number of options of a score in a chart. */
const OPTIONS = 20;
const SUMMARY_CHARACTERS = 1500;

/** A card for each score of each judge column. */
export function scoreCards({ judges }: DatasetProfile): readonly string[] {
  return judges.flatMap(({ scores }) => scores.map(scoreCard));
}

function scoreCard({ column, score, distribution, summary }: ScoreProfile): string {
  const heading = `<h3>${escapeHtml(score, 80)} <span class="quiet">${escapeHtml(column, 80)}</span></h3>`;
  const reasons = summary === undefined ? '' : `<p>${escapeHtml(summary, SUMMARY_CHARACTERS)}</p>`;
  if (distribution === NOT_CALCULATED) {
    return card(
      `${heading}<p>${NOT_CALCULATED} <span class="quiet">a cell does not have a judge's form</span></p>${reasons}`,
    );
  }
  const { options, numbers, records } = distribution;
  const shown = options.slice(0, OPTIONS).map(({ value, records: count }) => ({ name: value, count }));
  const ordered = numbers ? shown.toSorted((a, b) => Number(a.name) - Number(b.name)) : shown;
  const caption = numbers
    ? `${pluralize(records, 'record')}: mean ${formatFigure(numbers.mean)}, median ${formatFigure(numbers.median)}`
    : pluralize(records, 'record');
  return card(heading + plot(caption, barChart(ordered)) + reasons);
}

/** Cards for the whole dataset: conversations with tool use, correlations, nulls, cost. */
export function datasetCards(profile: DatasetProfile): readonly string[] {
  return [...traceCards(profile), correlationCard(profile), nullCard(profile), costCard(profile)].filter(
    (one) => one !== '',
  );
}

function traceCards({ traces }: DatasetProfile): readonly string[] {
  return traces.map(({ column, turns, tools }) => {
    const used = tools === NOT_CALCULATED ? [] : tools;
    const bars = used.flatMap(({ name, calls, failed }) => [
      { name, count: calls },
      ...(failed > 0 ? [{ name: `${name}, failed`, count: failed }] : []),
    ]);
    const parts = [
      `<h3>Conversations of ${escapeHtml(column, 80)}</h3>`,
      numbersPlot('turns', turns),
      bars.length > 0 ? plot('tool calls', barChart(bars)) : '<p class="quiet">No tool was called.</p>',
    ];
    return card(parts.join('\n'));
  });
}

function correlationCard({ correlations }: DatasetProfile): string {
  if (!correlations) return '';
  return card(`<h3>Correlations</h3>${correlationGrid(correlations.columns, correlations.values)}`);
}

function nullCard({ nullPatterns, records }: DatasetProfile): string {
  if (nullPatterns.length === 0) return '';
  const bars = nullPatterns.map(({ columns, records: count }) => ({
    name: columns.map((one) => one.slice(0, 40)).join(', '),
    count,
  }));
  return card(
    `<h3>Nulls</h3>${plot(`columns that are null together, of ${pluralize(records, 'record')}`, barChart(bars, records))}`,
  );
}

function costCard({ usage, cost }: DatasetProfile): string {
  const paid = Object.entries(usage).flatMap(([alias, counts]) => (counts.cost ? [[alias, counts.cost] as const] : []));
  if (!cost || paid.length === 0) return '';
  const lines = paid.map(([alias, amount]) => `<li><span>${escapeHtml(alias, 80)}</span>: ${formatCost(amount)}</li>`);
  return card(`<h3>Cost</h3><ul>${lines.join('')}</ul>`);
}

function card(content: string): string {
  return `<article class="card">${content}</article>`;
}
