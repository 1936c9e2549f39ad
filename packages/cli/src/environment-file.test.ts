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

test('loads keys as Node parses the file, leaves out other variables, and sorts both by name', () => {
  writeFileSync(path, '# mine\nexport A_API_KEY="one # two"\nHF_TOKEN=abc # said\nMY_KEYS_2=x\nPORT=80\nMONKEY=1\n');
  const environment: Record<string, string | undefined> = {};
  expect(loadEnvironmentFile(path, environment)).toEqual({
    path,
    taken: ['A_API_KEY', 'HF_TOKEN', 'MY_KEYS_2'],
    leftOut: ['MONKEY', 'PORT'],
  });
  expect(environment).toEqual({ A_API_KEY: 'one # two', HF_TOKEN: 'abc', MY_KEYS_2: 'x' });
});

test('variables that are set stay, and empty values are not loaded', () => {
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

test('a missing file or a folder of that name changes nothing', () => {
  const nothing = { path, taken: [], leftOut: [] };
  expect(loadEnvironmentFile(path, {})).toEqual(nothing);
  mkdirSync(path);
  expect(loadEnvironmentFile(path, {})).toEqual(nothing);
});

test('a file that is not text or is too long is refused', () => {
  writeFileSync(path, Buffer.from([0x41, 0x3d, 0xff, 0xfe]));
  expect(() => loadEnvironmentFile(path, {})).toThrow(`Cannot read ${path}: it is not UTF-8 text.`);
  writeFileSync(path, 'x'.repeat(1024 * 1024 + 1));
  expect(() => loadEnvironmentFile(path, {})).toThrow('it is 1048577 bytes long');
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a file without read permission is refused',
  () => {
    writeFileSync(path, 'A_KEY=x\n');
    chmodSync(path, 0o000);
    expect(() => loadEnvironmentFile(path, {})).toThrow('permission is denied');
  },
);
