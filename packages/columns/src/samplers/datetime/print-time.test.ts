import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printTime, unknownDirective } from './print-time.ts';

/** Output of strftime in CPython 3.11 on Linux in the C locale: the formats, then times with their text. */
const [formats, ...times] = readFileSync(new URL('./strftime-facts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly seconds: number; readonly plain: string; readonly flagged: string });

const iso = printTime(null);

test.each(Object.entries(formats ?? {}))('prints directives as CPython does: %s', (kind, format) => {
  const print = printTime(format as string);
  for (const time of times) {
    const expected = kind === 'plain' ? time.plain : time.flagged;
    if (expected === undefined) continue;
    const wrong = print(time.seconds)
      .split('|')
      .flatMap((text, at) => {
        const [directive, wanted] = [(format as string).split('|')[at], expected.split('|')[at]];
        return text === wanted ? [] : [{ directive, text, wanted }];
      });
    expect({ at: iso(time.seconds), wrong }).toEqual({ at: iso(time.seconds), wrong: [] });
  }
});

test('prints ISO 8601 with four-digit years without a format', () => {
  expect([-62_135_596_800, 0, 951_829_509, 253_402_300_799].map(iso)).toEqual([
    '0001-01-01T00:00:00',
    '1970-01-01T00:00:00',
    '2000-02-29T13:05:09',
    '9999-12-31T23:59:59',
  ]);
});

test('prints the text around directives unchanged, including non-ASCII letters', () => {
  expect(printTime('am %-d. %b um %k Uhr – 日本')(951_829_509)).toBe('am 29. Feb um 13 Uhr – 日本');
  expect(printTime('no directive')(0)).toBe('no directive');
  expect(printTime('')(0)).toBe('');
});

test('prints every day of four centuries as Date does', { tags: 'long' }, () => {
  const print = printTime('%F %w %j');
  const [first, last] = [Date.UTC(1799, 0, 1) / DAY_MS, Date.UTC(2201, 0, 1) / DAY_MS];
  const days = Array.from({ length: last - first }, (_, at) => new Date((first + at) * DAY_MS));
  expect(days.filter((day) => print(day.getTime() / 1000) !== printDay(day))).toEqual([]);
});

const DAY_MS = 86_400_000;

function printDay(day: Date): string {
  const yearDay = (day.getTime() - Date.UTC(day.getUTCFullYear(), 0, 1)) / DAY_MS + 1;
  return `${day.toISOString().slice(0, 10)} ${day.getUTCDay()} ${String(yearDay).padStart(3, '0')}`;
}

test.each([
  ['%Y-%Q', '%Q'],
  ['%d %', '%'],
  ['%-f', '%-f'],
  ['%100d', '%100'],
  ['%Ey', '%E'],
  ['%😀', '%😀'],
])('%j has an unknown directive, which is printed unchanged', (format, unknown) => {
  expect(unknownDirective(format)).toBe(unknown);
  expect(printTime(format)(0)).toContain(unknown);
});

test.each(['%Y', '%%Q', '%-d%_H%^a%#p%020Y', 'text'])('%j has no unknown directive', (format) => {
  expect(unknownDirective(format)).toBeUndefined();
});
