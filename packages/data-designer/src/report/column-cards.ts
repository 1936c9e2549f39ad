import type { Calculated, CategoryProfile, ColumnProfile, NumberProfile, TokenProfile } from '@data-designer/profile';
import { formatCount } from '../printing/format-numbers.ts';
import { formatFigure } from './column-facts.ts';
import { escapeHtml } from '../printing/escape-html.ts';
import { barChart, histogramChart } from './svg-charts.ts';

/** The number of categories with their own bar; the others share one. */
const BARS = 12;

/** The plots of one column as a card; empty if it has none. */
export function columnCards(column: ColumnProfile): string {
  const { name, numbers, categories, lengths, inputTokens, outputTokens, valid, records } = column;
  const plots = [
    numbersPlot('values', numbers),
    categoriesPlot(categories),
    // The bars of categories already describe texts with few distinct values.
    categories === undefined ? numbersPlot('characters', lengths) : '',
    tokensPlot('prompt tokens', inputTokens),
    tokensPlot('answer tokens', outputTokens),
    typeof valid === 'number'
      ? plot(
          'checks',
          barChart([
            { name: 'valid', count: valid },
            { name: 'invalid', count: records - valid },
          ]),
        )
      : '',
  ].filter((part) => part !== '');
  if (plots.length === 0) return '';
  return `<article class="card" data-column="${escapeHtml(name)}"><h3>${escapeHtml(name, 80)}</h3>${plots.join('\n')}</article>`;
}

/** A plot with a caption. */
export function plot(caption: string, drawing: string): string {
  return `<figure style="margin:0 0 8px"><figcaption>${escapeHtml(caption)}</figcaption>${drawing}</figure>`;
}

/** A histogram of numbers with their mean, median and standard deviation. */
export function numbersPlot(what: string, numbers: Calculated<NumberProfile> | undefined): string {
  if (typeof numbers !== 'object') return '';
  const { mean, median, stddev, histogram, isMedianEstimated } = numbers;
  const spread = stddev === null ? '' : `, standard deviation ${formatFigure(stddev)}`;
  const middle = `median ${isMedianEstimated ? 'about ' : ''}${formatFigure(median)}`;
  return plot(`${what}: mean ${formatFigure(mean)}, ${middle}${spread}`, histogramChart(histogram, what));
}

function categoriesPlot(categories: Calculated<CategoryProfile> | undefined): string {
  if (typeof categories !== 'object') return '';
  const { top, otherRecords } = categories;
  const shown = top
    .slice(0, BARS)
    .map(({ value, records }) => ({ name: value === '' ? '(empty)' : value, count: records }));
  const others = top.slice(BARS).reduce((sum, { records }) => sum + records, otherRecords);
  return plot('most frequent values', barChart(others > 0 ? [...shown, { name: 'others', count: others }] : shown));
}

function tokensPlot(what: string, tokens: Calculated<TokenProfile> | undefined): string {
  if (typeof tokens !== 'object') return '';
  const { mean, median, records, histogram } = tokens;
  const caption = `${what}: mean ${formatFigure(mean)}, median ${formatFigure(median)}, of ${formatCount(records)} records`;
  return plot(caption, histogramChart(histogram, what));
}
