import { formatCount, formatDuration } from '@data-designer/printing/format-numbers';

export {
  formatBytes,
  formatCost,
  formatCount,
  formatTimeLeft,
  pluralize,
} from '@data-designer/printing/format-numbers';

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** 1.2M; whole below ten thousand. */
export function formatCompact(count: number): string {
  return Math.abs(count) < 10_000 ? formatCount(count) : COMPACT.format(count);
}

/** A figure with at most four significant digits. */
export function formatFigure(figure: number): string {
  if (!Number.isFinite(figure)) return String(figure);
  if (Number.isInteger(figure)) return Math.abs(figure) < 1e12 ? formatCount(figure) : figure.toExponential(2);
  const size = Math.abs(figure);
  if (size >= 1e9 || size < 1e-9) return figure.toExponential(2);
  // A small number is written out: 0.0000005.
  if (size < 1e-3) return figure.toFixed(3 - Math.floor(Math.log10(size)) - 1).replace(/0+$/, '');
  return String(Number(figure.toPrecision(4)));
}

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
