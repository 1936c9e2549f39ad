import { expect, test } from 'vitest';
import { formatBytes } from '../../../printing/src/format-numbers.ts';
import { describeDownload } from './download-line.ts';

test('a download is described by share, size, speed and time left', () => {
  const progress = { bytes: 620_000_000, total: 1_240_000_000, seconds: 5 };
  expect(describeDownload('en_US', progress)).toBe('en_US  50 %  620 MB of 1.24 GB  124 MB/s  5 s left');
});

test('without an announced size, the share and the time left are unknown', () => {
  expect(describeDownload('en_US', { bytes: 5000, total: undefined, seconds: 1 })).toBe('en_US  5.00 kB  5.00 kB/s');
  expect(describeDownload('en_US', { bytes: 0, total: 0, seconds: 0 })).toBe('en_US  0 B of 0 B  0 B/s');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [18_492, '18.5 kB'],
  [1_240_000_000, '1.24 GB'],
  [4_140_000_000_000, '4140 GB'],
])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
