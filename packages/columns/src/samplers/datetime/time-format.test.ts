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
  ['int', "its output, for example 'int', cannot be read back as a time"],
  ['str', "its output, for example 'str', cannot be read back as a time"],
  ['', "its output, for example '', cannot be read back as a time"],
  ['%H', "its output, for example '00', cannot be read back as a time"],
  ['%d%m%Y', "its output, for example '21122012', cannot be read back as a time"],
  ['on day %d of %m, %Y', "its output, for example 'on day 21 of 12, 2012', cannot be read back as a time"],
  ['%Y-%m-%Q', 'there is no directive %Q'],
  ['%Y-%m-%d %', 'there is no directive %'],
  ['%Y-%m-%d %3f', 'there is no directive %3f'],
  ['%Y-%m-%100d', 'there is no directive %100'],
])('%j cannot be read back: %s', (format, why) => {
  expect(mistakeInTimeFormat(format)).toBe(why);
});
