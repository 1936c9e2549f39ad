import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { dateReader } from './read-date.ts';

const FORMATS = [
  '%d/%m/%Y',
  '%Y-%m-%d',
  '%I:%M %p %d %b %Y',
  '%H:%M:%S %Y-%m-%d',
  '%B %d, %Y',
  '%j %Y',
  '%y%m%d',
  '%A %d %B %Y',
  '%a %d %B %Y',
  '%Y-%m-%dT%H:%M:%S.%f',
  '%-d.%-m.%Y',
  '%b %Y',
  '%Y',
];
const TEXTS = [
  ['31/02/2024', '5/3/2024', '29/02/2023', '29/02/2024', '2024-13-01', '2024-00-10', '2024-02-30', '2024-2-3'],
  ['13:00 PM 05 Sep 2024', '00:10 AM 05 Sep 2024', '12:10 am 5 sep 2024', '1:10 PM 5 SEP 2024', '25:00:00 2024-01-01'],
  ['10:60:00 2024-01-01', '10:59:60 2024-01-01', '23:59:59 2024-12-31', 'Sept 5, 2024', 'September 5, 2024'],
  ['SEPTEMBER 05, 2024', 'Sep 5, 2024', 'May 5, 2024', '366 2023', '366 2024', '0 2024', '1 2024'],
  ['680101', '700101', '690101', '991332', 'Monday 05 May 2025', 'Mon 05 May 2025', 'Foo 5 May 2025', '1.2.2024'],
  ['2024-01-01T10:00:00.123456', '2024-01-01T10:00:00.1', ' 2024-01-01', '2024-01-01 ', 'Sep 2024', '2024', '24'],
].flat();

test('a copy reads times in every format as DuckDB reads them for the served page', async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const cells = FORMATS.flatMap((format) =>
    TEXTS.map((text) => `epoch_us(try_strptime('${text}', '${format}')) // 1000`),
  );
  const [theirs = []] = (await connection.runAndReadAll(`SELECT ${cells.join(', ')}`)).getRowsJson();
  const ours = FORMATS.flatMap((format) => TEXTS.map((text) => Math.floor(dateReader(format)(text))));
  const told = FORMATS.flatMap((format) => TEXTS.map((text) => `${format} of ${text}`));
  const shown = (times: readonly unknown[]) => told.map((one, at) => `${one}: ${String(times[at])}`);
  expect(shown(ours)).toEqual(shown(theirs.map((time) => (time === null ? NaN : Number(time)))));
  connection.closeSync();
  instance.closeSync();
});

test.each([
  ['2024-01-01', Date.UTC(2024, 0, 1)],
  ['2024-01-01 10:00', Date.UTC(2024, 0, 1, 10)],
  ['2024-01-01T10:00:00.5Z', Date.UTC(2024, 0, 1, 10, 0, 0, 500)],
  ['2024-01-01T10:00:00-03:30', Date.UTC(2024, 0, 1, 13, 30)],
  ['2024-01-01 10:00:00+02', Date.UTC(2024, 0, 1, 8)],
  ['2024-01-01T24:00', Date.UTC(2024, 0, 2)],
  ['2024-01-01T24:01', NaN],
  ['2024-02-30', NaN],
  ['2024-02-30T10:00:00Z', NaN],
  ['2024-13-01', NaN],
  ['2024-01-01 25:00', NaN],
  ['2024-01-01 10:00:61', NaN],
  ['tomorrow', NaN],
])('%s in ISO 8601 is %d', (text, time) => {
  expect(dateReader(null)(text)).toBe(time);
});
