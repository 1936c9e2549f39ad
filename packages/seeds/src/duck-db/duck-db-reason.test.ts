import { expect, test } from 'vitest';
import { duckDbReason } from './duck-db-reason.ts';

test.each([
  [
    "Invalid Input Error: No magic bytes found at end of file '/x'\n\nLINE 1: select 1\n       ^",
    "No magic bytes found at end of file '/x'",
  ],
  [
    'Invalid Input Error: CSV Error on Line: 2\nOriginal Line: secret\nInvalid unicode (byte sequence mismatch) detected. This file is not utf-8 encoded.\n\nPossible Solution: x',
    'CSV Error on Line: 2: Invalid unicode (byte sequence mismatch) detected. This file is not utf-8 encoded',
  ],
  [
    'Invalid Input Error: Malformed JSON in file "/x.jsonl", at byte 6 in line 3: unexpected end of data. ',
    'Malformed JSON in file "/x.jsonl", at byte 6 in line 2: unexpected end of data',
  ],
  ['Out of Memory Error: failed to allocate\nDatabase is', 'reading it needs more memory than is reserved for seeds'],
])('shortens %j to one line', (message, reason) => {
  expect(duckDbReason(new Error(message))).toBe(reason);
});

test('cuts long reasons and prints thrown values that are not errors', () => {
  expect(duckDbReason(new Error('x'.repeat(5000))).length).toBeLessThan(400);
  expect(duckDbReason('why')).toBe('why');
});
