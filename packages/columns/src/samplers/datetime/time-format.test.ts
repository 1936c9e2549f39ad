import { expect, test } from 'vitest';
import { mistakeInTimeFormat } from './time-format.ts';

test.each([
  '%d %b %Y',
  '%Y-%m-%d',
  '%Y/%m/%d %H:%M',
  '%m/%d/%Y',
  '%d/%m/%Y',
  '%d.%m.%Y',
  '%Y%m%d',
  '%Y-%m-%dT%H:%M:%SZ',
  '%Y-%m-%d %I:%M %p',
  '%B %-d, %Y',
  '%^b %_d %Y',
  '%04Y-%02m-%02d',
  '%A, %d %B %Y',
  '%F %T',
  '%D',
  '%c',
  '%x %X',
  '%d-%b-%y',
  '%y%m%d',
  '%y-%m-%d',
  '%Y',
  '%Y-%m',
  '%b %Y',
  '%H:%M',
  '%I:%M %p',
])('%s can be read back', (format) => {
  expect(mistakeInTimeFormat(format)).toBeUndefined();
});

test.each([
  ['int', "what it prints, as 'int', cannot be read as a time"],
  ['str', "what it prints, as 'str', cannot be read as a time"],
  ['', "what it prints, as '', cannot be read as a time"],
  ['%H', "what it prints, as '00', cannot be read as a time"],
  ['%d%m%Y', "what it prints, as '21122012', cannot be read as a time"],
  ['on day %d of %m, %Y', "what it prints, as 'on day 21 of 12, 2012', cannot be read as a time"],
  ['%Y-%m-%Q', 'there is no directive %Q'],
  ['%Y-%m-%d %', 'there is no directive %'],
  ['%Y-%m-%d %3f', 'there is no directive %3f'],
  ['%Y-%m-%100d', 'there is no directive %100'],
])('%j cannot: %s', (format, why) => {
  expect(mistakeInTimeFormat(format)).toBe(why);
});
