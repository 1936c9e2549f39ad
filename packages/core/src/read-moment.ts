const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:(?<=:\d\d:\d\d)[.,](\d+))?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The microseconds since 1970 of a date, or a date and time, in ISO 8601; UTC without a zone. Undefined for other texts. */
export function readMoment(text: string): number | undefined {
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = MOMENT.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  const start = Date.parse(`${day}T00:00Z`);
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  // JavaScript reads a day that no month has as one of the next month.
  if (Number.isNaN(ms) || Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) return undefined;
  return ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}
