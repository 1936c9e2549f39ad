import { expect, test } from 'vitest';
import { Service } from './service.ts';

test('an endpoint that has never answered is not waited for', () => {
  expect(new Service().isDownSince(0)).toBe(false);
});

test('an endpoint is down for those who have seen its last answer', () => {
  const service = new Service();
  service.answered();
  expect(service.isDownSince(0)).toBe(false);
  expect(service.isDownSince(service.answers)).toBe(true);
  service.answered();
  expect(service.isDownSince(1)).toBe(false);
});

test('after a long outage failures count again', () => {
  const service = new Service(0);
  service.answered();
  expect(service.isDownSince(1)).toBe(false);
});
