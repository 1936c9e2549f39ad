import type {
  Calculated,
  CategoryProfile,
  ColumnProfile,
  DateProfile,
  NumberProfile,
  TokenProfile,
  ValueProfile,
} from '@data-designer/profile';
import { formatCount } from '../printing/format-numbers.ts';
import { fieldName, formatFigure, mostFrequentDate } from './column-facts.ts';
import { escapeHtml } from '../printing/escape-html.ts';
import { barChart, histogramChart, numberHistogram } from './svg-charts.ts';

/** The number of categories with their own bar; the others share one. */
const BARS = 12;

/** The plots of a column and of its fields as cards; none without plots. */
export function columnCards(column: ColumnProfile): readonly string[] {
  const { name, inputTokens, outputTokens, valid, records, fields = [] } = column;
  const own = [
    ...valuePlots(column),
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
  ];
  const parts = fields.map((field) => card(fieldName(name, field.path), valuePlots(field)));
  return [card(name, own), ...parts].filter((part) => part !== '');
}

function card(name: string, plots: readonly string[]): string {
  const drawn = plots.filter((part) => part !== '');
  if (drawn.length === 0) return '';
  return `<article class="card" data-column="${escapeHtml(name)}"><h3>${escapeHtml(name, 80)}</h3>${drawn.join('\n')}</article>`;
}

/** The plots of values; none of a constant, which the table names. */
function valuePlots(value: ValueProfile): readonly string[] {
  const { constant, numbers, dates, categories, lengths } = value;
  if (constant !== undefined) return [];
  return [
    numbersPlot('values', numbers),
    datesPlot(value, dates),
    categoriesPlot(categories),
    // The bars of categories already describe texts with few distinct values.
    categories === undefined ? numbersPlot('characters', lengths) : '',
  ];
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
  return plot(`${what}: mean ${formatFigure(mean)}, ${middle}${spread}`, numberHistogram(histogram, what));
}

function datesPlot(value: ValueProfile, dates: Calculated<DateProfile> | undefined): string {
  if (typeof dates !== 'object') return '';
  const { min, max, histogram } = dates;
  const caption = `dates by ${histogram.unit}: ${mostFrequentDate(value, dates)}`;
  return plot(caption, histogramChart({ low: min, high: max, counts: histogram.counts }, 'dates'));
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
  return plot(caption, numberHistogram(histogram, what));
}
