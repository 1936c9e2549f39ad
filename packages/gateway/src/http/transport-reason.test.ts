import { expect, test } from 'vitest';
import { transportReason } from './collect-answer.ts';

test('a reason is one short line, whatever the transport writes', () => {
  expect(transportReason(new Error('C0:error:0A00010B:SSL routines:\nwrong version number:\n'))).toBe(
    'C0:error:0A00010B:SSL routines: wrong version number:',
  );
  expect(transportReason('text.')).toBe('text');
  expect(transportReason(new Error('x'.repeat(5000)))).toHaveLength(301);
});

const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);

test('the reason lists each refusing address of a host once', () => {
  const cause = new AggregateError([refused('::1:9'), refused('127.0.0.1:9'), refused('::1:9')]);
  expect(transportReason(cause)).toBe('connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9');
});

test('the reason for an error without a message is its code', () => {
  expect(transportReason(Object.assign(new Error(''), { code: 'ENOTFOUND' }))).toBe('ENOTFOUND');
});
