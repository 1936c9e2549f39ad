const MICROS = 1_000_000;

/** A date as `2024-01-02`, from milliseconds since 1970. */
export function dateText(milliseconds: number): string {
  return isoText(milliseconds).replace(/T.*/, '');
}

/** A moment as `2024-01-02T03:04:05`, with six digits of a second or none, from milliseconds since 1970. */
export function momentText(milliseconds: number, { isZoned }: { readonly isZoned: boolean }): string {
  if (!Number.isFinite(milliseconds)) return isoText(milliseconds);
  const seconds = Math.floor(milliseconds / 1000);
  const micros = Math.round((milliseconds - seconds * 1000) * 1000);
  const whole = micros === MICROS ? seconds + 1 : seconds;
  return `${isoText(whole * 1000)}${fraction(micros % MICROS)}${isZoned ? '+00:00' : ''}`;
}

/** A time of day as `03:04:05`, with six digits of a second or none; the unit is 10^-3n seconds for n from 0. */
export function timeText(value: number | bigint, unit: number): string {
  const micros = Number((BigInt(value) * 1_000_000n) / 1000n ** BigInt(unit));
  const text = isoText(Math.floor(micros / MICROS) * 1000);
  return `${text.slice(text.indexOf('T') + 1)}${fraction(micros % MICROS)}`;
}

/** Without fraction and zone; the year has at least four digits and no sign, unless it is before the year 0. */
function isoText(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime())
    ? 'infinity'
    : date
        .toISOString()
        .replace(/\.\d{3}Z$/, '')
        .replace(/^\+0*/, '');
}

function fraction(micros: number): string {
  return micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
}
