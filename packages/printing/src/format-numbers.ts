const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A count with thousands separators. */
export function formatCount(count: number): string {
  return groupThousands(String(Math.round(count)));
}

/** Puts separators between the thousands of a whole number. Not by `toLocaleString`, whose tables take 10 ms to load. */
export function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A number of bytes in the largest fitting unit, with three digits or more: `1.24 GB`, `118 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? Math.round(value) : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${UNITS[power]}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** A duration in its two largest units. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
  return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`;
}

/** The time that is left: a range where it is given, since one number would say more than is known. */
export function formatTimeLeft(
  seconds: number,
  range?: { readonly least: number; readonly most: number | null },
): string {
  if (!range) return formatDuration(seconds);
  if (range.most === null) return `at least ${formatDuration(range.least)}`;
  return `${formatDuration(range.least)} to ${formatDuration(range.most)}`;
}

/** A rate per second, minute or hour, whichever gives a readable number. */
export function formatRate(perSecond: number, noun: string): string {
  if (perSecond >= 0.1 || perSecond === 0) return `${short(perSecond)} ${noun}/s`;
  if (perSecond * MINUTE >= 0.1) return `${short(perSecond * MINUTE)} ${noun}/min`;
  return `${short(perSecond * HOUR)} ${noun}/h`;
}

function short(value: number): string {
  return value >= 100 || value === 0 ? formatCount(value) : value.toFixed(1);
}

/**
 * An amount in the currency of the prices; below a cent with two digits, and never with an exponent. It has as many decimals
 * as the amounts `beside` it on a line need.
 */
export function formatCost(cost: number, beside: readonly (number | null)[] = []): string {
  const decimals = Math.max(...[cost, ...beside].map((one) => (one === null ? 0 : decimalsOf(one))));
  const [whole = '', ...fraction] = cost.toFixed(decimals).split('.');
  return [groupThousands(whole), ...fraction].join('.');
}

function decimalsOf(cost: number): number {
  if (cost >= 100) return 0;
  return cost >= 0.01 || cost < LEAST_COST ? 2 : 1 - Math.floor(Math.log10(cost));
}

/** No request costs less. */
const LEAST_COST = 1e-15;

/** A percentage with one decimal: `12.3%`. */
export function formatPercent(percent: number): string {
  return `${percent.toFixed(1)}%`;
}

/** A share from 0 to 1 in percent with one decimal. */
export function formatShare(share: number): string {
  return formatPercent(100 * share);
}

/** A share in percent with three significant digits, for shares that may be small: `0.0123 %`. */
export function formatFineShare(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

/** A count with its noun: `1 row`, `2 rows`. */
export function pluralize(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
