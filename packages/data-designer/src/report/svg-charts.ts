import type { Histogram } from '@data-designer/profile';
import { formatCount } from '../printing/format-numbers.ts';
import { formatFigure } from './column-facts.ts';
import { escapeHtml } from '../printing/escape-html.ts';

const WIDTH = 300;
/** The height of the bar with the largest count. */
const HEIGHT = 80;

/** The counts of a histogram, with its bounds as text. */
export interface DrawnHistogram {
  readonly counts: readonly number[];
  readonly low: string;
  readonly high: string;
}

/** A histogram as inline SVG, with its bounds below. */
export function histogramChart({ low, high, counts }: DrawnHistogram, label: string): string {
  const most = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  const bars = counts.map((count, at) => {
    if (count === 0) return '';
    const height = round((HEIGHT * count) / most);
    return `<rect x="${round(at * step)}" y="${round(HEIGHT - height)}" width="${round(step * 0.92)}" height="${height}" data-count="${count}"/>`;
  });
  const spread = low === high ? low : `${low} to ${high}`;
  const description = escapeHtml(`${label}: ${spread}, at most ${formatCount(most)} in one bar`);
  return `<svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${description}">${bars.join('')}</svg>
<div class="axis"><span>${escapeHtml(low)}</span><span>${low === high ? '' : escapeHtml(high)}</span></div>`;
}

/** A histogram of numbers. */
export function numberHistogram({ low, high, counts }: Histogram, label: string): string {
  return histogramChart({ low: formatFigure(low), high: formatFigure(high), counts }, label);
}

/** A named count of a bar chart. */
export interface Bar {
  readonly name: string;
  readonly count: number;
}

/** Bars by name, with lengths relative to `whole`; default: the largest count. */
export function barChart(bars: readonly Bar[], whole = Math.max(1, ...bars.map(({ count }) => count))): string {
  const lines = bars.map(({ name, count }) => {
    const part = round((100 * count) / Math.max(whole, 1));
    return `<li><span class="name">${escapeHtml(name, 80)}</span><svg class="bar" aria-hidden="true"><rect width="${part}%" height="100%" data-count="${count}"/></svg><span class="count">${formatCount(count)}</span></li>`;
  });
  return `<ul class="bars">${lines.join('\n')}</ul>`;
}

/** Pearson's r between columns as a table of coloured squares, each with its number. */
export function correlationGrid(columns: readonly string[], values: readonly (readonly (number | null)[])[]): string {
  const rows = columns.slice(1).map((name, row) => {
    const cells = values[row + 1]?.slice(0, row + 1).map((r, at) => {
      const pair = escapeHtml(`${name} with ${columns[at] ?? ''}`, 80);
      const strength = r === null ? 0 : Math.round(Math.abs(r) * 45);
      const sign = r !== null && r < 0 ? 'against' : 'along';
      return `<td class="${sign}" style="--strength:${strength}%" title="${pair}">${r === null ? '' : r.toFixed(2)}</td>`;
    });
    return `<tr><th scope="row">${row + 2}. ${escapeHtml(name, 40)}</th>${(cells ?? []).join('')}</tr>`;
  });
  const first = escapeHtml(columns[0] ?? '', 40);
  const heads = columns.slice(0, -1).map((_, at) => `<th scope="col">${at + 1}</th>`);
  return `<p class="quiet">1. ${first}</p><table class="grid"><tr><td></td>${heads.join('')}</tr>${rows.join('\n')}</table>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
