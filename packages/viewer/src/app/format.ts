const COUNT = new Intl.NumberFormat('en-US');
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** 1,234,567. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** 1.2M; whole below ten thousand. */
export function formatCompact(count: number): string {
  return Math.abs(count) < 10_000 ? COUNT.format(count) : COMPACT.format(count);
}

/** A figure with at most four significant digits. */
export function formatFigure(figure: number): string {
  if (!Number.isFinite(figure)) return String(figure);
  if (Number.isInteger(figure)) return Math.abs(figure) < 1e12 ? COUNT.format(figure) : figure.toExponential(2);
  const size = Math.abs(figure);
  return size >= 1e9 || size < 1e-3 ? figure.toExponential(2) : String(Number(figure.toPrecision(4)));
}

/** 12.3 % of a share from 0 to 1; a share above zero is never shown as 0 %, one below one never as 100 %. */
export function formatShare(share: number): string {
  if (share <= 0) return '0 %';
  if (share < 0.001) return '<0.1 %';
  if (share > 0.999 && share < 1) return '>99.9 %';
  return `${(share * 100).toFixed(share * 100 >= 10 || share === 1 ? 0 : 1)} %`;
}

/** 1 h 05 min. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'unknown';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < MINUTE_S) return `${Math.round(seconds)} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min ${pad(Math.floor(seconds % MINUTE_S))} s`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h ${pad(Math.floor((seconds % HOUR_S) / MINUTE_S))} min`;
  return `${Math.floor(seconds / DAY_S)} d ${Math.floor((seconds % DAY_S) / HOUR_S)} h`;
}

/** A cost in the currency of the prices, which has no name. */
export function formatCost(cost: number): string {
  if (cost === 0) return '0';
  return cost >= 100 ? COUNT.format(Math.round(cost)) : cost >= 0.01 ? cost.toFixed(2) : cost.toPrecision(2);
}

/** `1 row`, `2 rows`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function pad(figure: number): string {
  return String(figure).padStart(2, '0');
}
