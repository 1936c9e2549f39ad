import { expect, test } from 'vitest';
import { refuseAddress } from './refuse-address.ts';

test.each([
  's3://b/f',
  'S3A://b',
  'gs://b',
  'hf://datasets/a/b',
  'http://host/f.csv',
  'https://h',
  'file:///tmp/f',
  'abfss://c@a/f',
])('%s is no path to write to', (path) => {
  expect(() => refuseAddress(path)).toThrow(`Cannot write to ${path}: it is an address`);
});

test.each(['./out', '/tmp/s3', 'C://out', 'C:\\out', 's3:/b', 'out/s3://b', '', 'a b://c'])('%j is a path', (path) => {
  expect(() => refuseAddress(path)).not.toThrow();
});
