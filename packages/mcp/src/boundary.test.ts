import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const sources = globSync('*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'));
const importing = (pattern: RegExp): string[] =>
  sources.filter((file) => pattern.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))).toSorted();

test('one client file and two server files import the SDK', () => {
  expect(importing(/'@modelcontextprotocol\/sdk/)).toEqual(['sdk-client.ts', 'sdk-http-sessions.ts', 'sdk-server.ts']);
});

test('the SDK is loaded on first use, so that workers do not load it', () => {
  expect(importing(/from '.\/sdk-(client|http-sessions)\.ts'/)).toEqual([]);
  expect(importing(/from '.\/sdk-server\.ts'/)).toEqual(['sdk-http-sessions.ts']);
});
