const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A count with its thousands apart. */
export function sayCount(count: number): string {
  return Math.round(count).toLocaleString('en');
}

/** A span of time in its two largest units. */
export function saySeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
  return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`;
}

/** A rate in the unit in which it is a number of some size. */
export function sayRate(perSecond: number, what: string): string {
  if (perSecond >= 0.1 || perSecond === 0) return `${short(perSecond)} ${what}/s`;
  if (perSecond * MINUTE >= 0.1) return `${short(perSecond * MINUTE)} ${what}/min`;
  return `${short(perSecond * HOUR)} ${what}/h`;
}

function short(value: number): string {
  return value >= 100 || value === 0 ? sayCount(value) : value.toFixed(1);
}

/** An amount in the currency of the prices. */
export function sayCost(cost: number): string {
  return cost >= 0.01 || cost === 0 ? cost.toFixed(2) : cost.toPrecision(2);
}

/** A noun after its number: `1 row`, `2 rows`. */
export function sayMany(count: number, noun: string): string {
  return `${sayCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
