import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { portOf, secretOf } from './folder-address.ts';

const root = testFolder('folder-address');
const before = process.env['DATA_DESIGNER_HOME'];
let home: string;
let tests = 0;

beforeEach(() => {
  home = join(root, String(tests++));
  mkdirSync(home);
  process.env['DATA_DESIGNER_HOME'] = home;
});
afterEach(() => {
  if (before === undefined) delete process.env['DATA_DESIGNER_HOME'];
  else process.env['DATA_DESIGNER_HOME'] = before;
});

const kept = () => join(home, 'viewer-secret');

test('folders have a port of their own below those that systems give away', () => {
  const ports = Array.from({ length: 200 }, (_, at) => portOf([`/data/${at}`]));
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...ports)).toBeLessThan(30_000);
  expect(new Set(ports).size).toBeGreaterThan(190);
  expect(portOf(['.'])).toBe(portOf([process.cwd()]));
  expect(portOf(['/a', '/b'])).not.toBe(portOf(['/b', '/a']));
});

const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000);

test('the secret of folders stays the same for a week, and only its user can read it', async () => {
  const secret = await secretOf(['/a']);
  expect(secret).toHaveLength(32);
  expect(statSync(kept()).mode & 0o777).toBe(0o600);
  expect(await secretOf(['/a'])).toEqual(secret);
  expect(await secretOf(['/b'])).not.toEqual(secret);
  // No part of it is what is stored.
  expect(readFileSync(kept())).not.toEqual(secret);
  utimesSync(kept(), daysAgo(6), daysAgo(6));
  expect(await secretOf(['/a'])).toEqual(secret);
  utimesSync(kept(), daysAgo(8), daysAgo(8));
  expect(await secretOf(['/a'])).not.toEqual(secret);
});

test('there is no secret where none can be kept, or a part of one', async () => {
  writeFileSync(kept(), 'short');
  expect(await secretOf(['/a'])).toBeUndefined();
  process.env['DATA_DESIGNER_HOME'] = join(home, 'none');
  expect(await secretOf(['/a'])).toBeUndefined();
});
