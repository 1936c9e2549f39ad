const ISO = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The time of a text in ISO 8601, in milliseconds since 1970; without an offset in UTC. NaN for other texts. */
export function readIsoDate(text: string): number {
  const [, day, time = '00:00', offset = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return NaN;
  return Date.parse(`${day}T${time}${/^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset}`);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MS_PER_DAY = 86_400_000;

/** The parts of a time; a format names some of them. */
interface Parts {
  year: number;
  month: number;
  day: number;
  dayOfYear: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  isAfternoon: boolean | undefined;
}

/** A directive of strftime: what it matches, and the part that it sets. */
interface Directive {
  readonly matches: string;
  readonly set: (parts: Parts, text: string) => void;
}

const TWO = String.raw`\d{1,2}`;

function number(
  matches: string,
  part: Exclude<keyof Parts, 'isAfternoon'>,
  of: (value: number) => number = (value) => value,
) {
  return { matches, set: (parts: Parts, text: string) => void (parts[part] = of(Number(text))) };
}

const ignored = { matches: '[a-z]+', set: () => undefined };

function month(matches: string): Directive {
  return { matches, set: (parts, text) => void (parts.month = MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1) };
}

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  Y: number(String.raw`\d{4}`, 'year'),
  y: number(TWO, 'year', (value) => (value < 69 ? 2000 : 1900) + value),
  m: number(TWO, 'month'),
  b: month('[a-z]{3}'),
  B: month('[a-z]+'),
  d: number(TWO, 'day'),
  j: number(String.raw`\d{1,3}`, 'dayOfYear'),
  H: number(TWO, 'hour'),
  I: number(TWO, 'hour', (value) => value % 12),
  M: number(TWO, 'minute'),
  S: number(TWO, 'second'),
  f: { matches: String.raw`\d{1,9}`, set: (parts, text) => void (parts.ms = Number(`0.${text}`) * 1000) },
  p: { matches: '[ap]m', set: (parts, text) => void (parts.isAfternoon = /^p/i.test(text)) },
  a: ignored,
  A: ignored,
};

/** Reads the times of texts in a strftime format, or in ISO 8601 if it has no year: milliseconds since 1970, or NaN. */
export function dateReader(format: string | null): (text: string) => number {
  if (format === null || !/%-?[Yy]/.test(format)) return readIsoDate;
  const directives: Directive[] = [];
  const pattern = format.replaceAll(/%-?([a-zA-Z])|[.*+?^${}()|[\]\\]/g, (found, name?: string) => {
    if (name === undefined) return `\\${found}`;
    const directive = DIRECTIVES[name] ?? ignored;
    directives.push(directive);
    return `(${directive.matches})`;
  });
  const wanted = new RegExp(`^${pattern}$`, 'i');
  return (text) => {
    const found = wanted.exec(text);
    if (!found) return NaN;
    const parts: Parts = {
      year: 1900,
      month: 1,
      day: 1,
      dayOfYear: 0,
      hour: 0,
      minute: 0,
      second: 0,
      ms: 0,
      isAfternoon: undefined,
    };
    for (const [at, directive] of directives.entries()) directive.set(parts, found[at + 1] ?? '');
    return timeOf(parts);
  };
}

function timeOf({ year, month: ofYear, day, dayOfYear, hour, minute, second, ms, isAfternoon }: Parts): number {
  // `setUTCFullYear` takes the years 0 to 99 as they are, unlike `Date.UTC`.
  const start =
    dayOfYear > 0 ? new Date(0).setUTCFullYear(year, 0, dayOfYear) : new Date(0).setUTCFullYear(year, ofYear - 1, day);
  return (
    Math.floor(start / MS_PER_DAY) * MS_PER_DAY +
    (((hour + (isAfternoon ? 12 : 0)) * 60 + minute) * 60 + second) * 1000 +
    ms
  );
}
