import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadEnvironmentFile } from './environment-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'env-'));
  path = join(folder, '.env');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('keys are taken from the file as Node reads it, others are left out, each in the order of names', () => {
  writeFileSync(path, '# mine\nexport A_API_KEY="one # two"\nHF_TOKEN=abc # said\nMY_KEYS_2=x\nPORT=80\nMONKEY=1\n');
  const environment: Record<string, string | undefined> = {};
  expect(loadEnvironmentFile(path, environment)).toEqual({
    path,
    taken: ['A_API_KEY', 'HF_TOKEN', 'MY_KEYS_2'],
    leftOut: ['MONKEY', 'PORT'],
  });
  expect(environment).toEqual({ A_API_KEY: 'one # two', HF_TOKEN: 'abc', MY_KEYS_2: 'x' });
});

test('what is set stays, an empty value is not taken', () => {
  writeFileSync(path, 'A_KEY=file\nB_KEY=file\nC_KEY=\n');
  const environment: Record<string, string | undefined> = { A_KEY: 'set', B_KEY: '' };
  expect(loadEnvironmentFile(path, environment).taken).toEqual([]);
  expect(environment).toEqual({ A_KEY: 'set', B_KEY: '' });
});

test.each([
  'DATA_DESIGNER_HOME',
  'DATA_DESIGNER_KEY',
  'NODE_OPTIONS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_KEY',
  'LD_PRELOAD',
  'PATH',
  'HOME',
  'HTTPS_PROXY',
  'SSLKEYLOGFILE',
  'npm_config_registry',
  'npm_config_key',
  'GIT_SSH_COMMAND',
  '__proto__',
])('%s cannot be set by the file', (name) => {
  writeFileSync(path, `${name}=x\n`);
  const environment: Record<string, string | undefined> = {};
  loadEnvironmentFile(path, environment);
  expect(Object.keys(environment)).toEqual([]);
});

test('without a file, or with a folder of its name, nothing happens', () => {
  const nothing = { path, taken: [], leftOut: [] };
  expect(loadEnvironmentFile(path, {})).toEqual(nothing);
  mkdirSync(path);
  expect(loadEnvironmentFile(path, {})).toEqual(nothing);
});

test('a file that is no text, or far too long, is unreadable', () => {
  writeFileSync(path, Buffer.from([0x41, 0x3d, 0xff, 0xfe]));
  expect(() => loadEnvironmentFile(path, {})).toThrow(`Cannot read the configuration ${path}: it is not UTF-8 text.`);
  writeFileSync(path, 'x'.repeat(1024 * 1024 + 1));
  expect(() => loadEnvironmentFile(path, {})).toThrow('it is 1048577 bytes long');
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('a file without rights is unreadable', () => {
  writeFileSync(path, 'A_KEY=x\n');
  chmodSync(path, 0o000);
  expect(() => loadEnvironmentFile(path, {})).toThrow('permission is denied');
});
