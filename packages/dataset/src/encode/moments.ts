import type { LogicalType } from '@data-designer/core';

/** A type of dates and times, whose cells are text. */
export type MomentType = Exclude<LogicalType, { readonly logical: 'decimal' }>;

const DAY_SECONDS = 86_400n;
const PER_SECOND = { ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n } as const;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_INT32 = 2n ** 31n - 1n;

/** A date, or a date and a time: `2024-01-02T03:04:05.250000+00:00`; years before 1 as DuckDB prints them. */
const MOMENT =
  /^(?<year>[+-]?\d{1,7})-(?<month>\d\d)-(?<day>\d\d)(?<bc>[ T]\(BC\))?(?:[ T](?<time>\d\d:\d\d:\d\d(?:\.\d{1,9})?))?(?:Z|\+00(?::00)?)?$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;

/** The text of a cell as the number that a file stores: days or units since 1970, or units since midnight; undefined for other values. */
export function momentNumber(value: unknown, type: MomentType): bigint | undefined {
  if (value instanceof Date) return momentNumber(value.toISOString(), type);
  if (typeof value !== 'string') return undefined;
  if (type.logical === 'time') return timeUnits(value, PER_SECOND[type.unit]);
  const least = -(type.logical === 'date' ? MAX_INT32 : MAX_INT64);
  if (value === 'infinity') return -least;
  if (value === '-infinity') return least;
  const { year, month, day, bc, time = '00:00:00' } = MOMENT.exec(value)?.groups ?? {};
  if (year === undefined) return undefined;
  const days = daysSince1970(bc === undefined ? Number(year) : 1 - Number(year), Number(month), Number(day));
  if (type.logical === 'date') return days;
  const perSecond = PER_SECOND[type.unit];
  const units = timeUnits(time, perSecond);
  return units === undefined ? undefined : days * DAY_SECONDS * perSecond + units;
}

function timeUnits(text: string, perSecond: bigint): bigint | undefined {
  const [, hours = '', minutes = '', seconds = '', fraction = ''] = TIME.exec(text) ?? [];
  if (hours === '') return undefined;
  const whole = BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds);
  return whole * perSecond + (BigInt(fraction.padEnd(9, '0')) * perSecond) / PER_SECOND.ns;
}

/** Days of the proleptic Gregorian calendar, also beyond what `Date` holds. */
function daysSince1970(year: number, month: number, day: number): bigint {
  // Years that begin in March: a leap day is the last day of its year.
  const y = month > 2 ? year : year - 1;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return BigInt(era * 146_097 + dayOfEra - 719_468);
}

/** The text of the number that a file stores. */
export function momentText(units: bigint, type: MomentType): string {
  if (type.logical === 'time') return timeText(units, type.unit);
  const most = type.logical === 'date' ? MAX_INT32 : MAX_INT64;
  if (units === most || units === -most) return units > 0n ? 'infinity' : '-infinity';
  if (type.logical === 'date') return dateText(units);
  const { unit, zoned } = type;
  if (unit === 'ms')
    return zoned ? new Date(Number(units)).toISOString() : momentText(units * 1000n, { ...type, unit: 'us' });
  const perDay = DAY_SECONDS * PER_SECOND[unit];
  const days = floorDivided(units, perDay);
  return `${dateText(days)}T${timeText(units - days * perDay, unit)}${zoned ? '+00:00' : ''}`;
}

/** Six digits of a second, nine if they are needed, or none. */
function timeText(units: bigint, unit: keyof typeof PER_SECOND): string {
  const perSecond = PER_SECOND[unit];
  const seconds = Number(units / perSecond);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const nanos = Number(((units % perSecond) * PER_SECOND.ns) / perSecond);
  const digits = nanos % 1000 === 0 ? String(nanos / 1000).padStart(6, '0') : String(nanos).padStart(9, '0');
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}${nanos === 0 ? '' : `.${digits}`}`;
}

function dateText(days: bigint): string {
  const shifted = Number(days) + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const isBefore = year < 1;
  const text = `${String(isBefore ? 1 - year : year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  return isBefore ? `${text} (BC)` : text;
}

function floorDivided(one: bigint, by: bigint): bigint {
  const quotient = one / by;
  return one % by < 0n ? quotient - 1n : quotient;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
