import { formatCount, formatDuration, groupThousands } from '@data-designer/printing/format-numbers';

export { addCosts, costCell } from '@data-designer/printing/describe-cost';
export {
  formatBytes,
  formatCost,
  formatCount,
  formatTimeLeft,
  pluralize,
} from '@data-designer/printing/format-numbers';

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** 1.2M, or 1.2×10⁻⁷; a figure of at most four digits from 0.0001 to ten thousand. */
export function formatCompact(figure: number): string {
  const size = Math.abs(figure);
  if (size >= LARGEST || (size < 1e-4 && size > 0)) return withPower(figure, 2).replaceAll(' ', '');
  return size < 10_000 ? formatFigure(figure) : COMPACT.format(figure);
}

/** Larger figures are written with a power of ten, and so are smaller ones than the least. */
const LARGEST = 1e15;
const LEAST = 1e-9;
const DIGITS = 4;

/** A figure with at most four significant digits; a whole number with all of them, unless it is very large. */
export function formatFigure(figure: number, digits = DIGITS): string {
  if (!Number.isFinite(figure)) return String(figure);
  const size = Math.abs(figure);
  if (size >= LARGEST || (size < LEAST && size > 0)) return withPower(figure, digits);
  if (Number.isInteger(figure)) return formatCount(figure);
  // A small number is written out: 0.0000005.
  if (size < 1e-3) return figure.toFixed(digits - 2 - Math.floor(Math.log10(size))).replace(/0+$/, '');
  const [whole = '', part] = String(Number(figure.toPrecision(digits))).split('.');
  return part === undefined ? groupThousands(whole) : `${groupThousands(whole)}.${part}`;
}

/** The digits of a double. */
const MOST_DIGITS = 17;

/** Both ends of a range, with as many digits as it takes to tell them apart. */
export function formatRange(low: number, high: number): readonly [string, string] {
  for (let digits = DIGITS; ; digits++) {
    const [first, last] = [formatFigure(low, digits), formatFigure(high, digits)];
    if (first !== last || low === high || digits === MOST_DIGITS) return [first, last];
    if (Number.isSafeInteger(low) && Number.isSafeInteger(high)) return [formatCount(low), formatCount(high)];
  }
}

/** 1.235 × 10¹⁵ */
function withPower(figure: number, digits: number): string {
  const [factor = '', power = ''] = figure.toExponential(digits - 1).split('e');
  const exponent = power.replaceAll(/./g, (sign) => RAISED[sign] ?? '');
  return `${String(Number(factor))} × 10${exponent}`;
}

const RAISED: Readonly<Record<string, string>> = {
  '-': '⁻',
  ...Object.fromEntries('⁰¹²³⁴⁵⁶⁷⁸⁹'.split('').map((sign, at) => [String(at), sign])),
};

/** 12.3 % of a share from 0 to 1; a share above zero is never shown as 0 %, one below one never as 100 %. */
export function formatShare(share: number): string {
  if (share <= 0) return '0 %';
  if (share < 0.001) return '<0.1 %';
  if (share > 0.999 && share < 1) return '>99.9 %';
  return `${(share * 100).toFixed(share * 100 >= 10 || share === 1 ? 0 : 1)} %`;
}

/** A duration in ms below a second. */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${formatFigure(Number(ms.toPrecision(2)))} ms` : formatSeconds(ms / 1000);
}

/** A duration in its two largest units, a short one with a decimal. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'unknown';
  return seconds < 10 ? `${seconds.toFixed(1)} s` : formatDuration(seconds);
}

/** A part of a date or of a time of day. */
export function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
