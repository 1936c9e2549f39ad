/** Seconds per unit. */
export const SECONDS_IN = { D: 86_400, h: 3600, m: 60, s: 1 } as const;

const DAY = SECONDS_IN.D;

/**
 * A UTC date and time of day; one reused object, so that reading a time allocates nothing. Source of the arithmetic:
 * Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
 */
export class CivilTime {
  /** Whole seconds since 1970. */
  seconds = 0;
  year = 1970;
  /** 1 to 12. */
  month = 1;
  /** Day of the month, from 1. */
  day = 1;
  /** Day of the year, from 0. */
  yearDay = 0;
  /** 0 for Sunday. */
  weekday = 4;
  hour = 0;
  minute = 0;
  second = 0;

  /** Moves to a time in whole seconds since 1970, within the years 1 to 9999. */
  at(seconds: number): this {
    const days = Math.floor(seconds / DAY) | 0;
    const clock = (seconds - days * DAY) | 0;
    this.seconds = seconds;
    this.hour = (clock / 3600) | 0;
    this.minute = ((clock % 3600) / 60) | 0;
    this.second = clock % 60;
    // Day 0 was a Thursday; the added weeks keep the dividend above 0.
    this.weekday = (days + 4 + 7 * 110_000) % 7;
    return this.#atDay(days);
  }

  /** The start of the day, in seconds since 1970. */
  get midnight(): number {
    return this.seconds - (this.hour * 60 + this.minute) * 60 - this.second;
  }

  /** The start of the month, in seconds since 1970. */
  get monthStart(): number {
    return this.midnight - (this.day - 1) * DAY;
  }

  /** The start of the year, in seconds since 1970. */
  get yearStart(): number {
    return this.midnight - this.yearDay * DAY;
  }

  /** Counts years from March in eras of 400 years, so that the leap day ends a year. */
  #atDay(days: number): this {
    const sinceEra0 = days + 719_468;
    const era = (sinceEra0 / 146_097) | 0;
    const dayOfEra = sinceEra0 - era * 146_097;
    const yearOfEra =
      ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0;
    const sinceMarch = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0));
    const march0 = ((5 * sinceMarch + 2) / 153) | 0;
    this.day = sinceMarch - (((153 * march0 + 2) / 5) | 0) + 1;
    this.month = march0 < 10 ? march0 + 3 : march0 - 9;
    this.year = yearOfEra + era * 400 + (this.month <= 2 ? 1 : 0);
    this.yearDay = this.month > 2 ? sinceMarch + 59 + (isLeap(this.year) ? 1 : 0) : sinceMarch - 306;
    return this;
  }
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
