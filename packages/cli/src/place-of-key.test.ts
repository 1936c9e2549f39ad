import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { placeOfKey } from './place-of-key.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'place-of-key-'));
  mkdirSync(join(folder, 'home'));
  vi.stubEnv('DATA_DESIGNER_HOME', join(folder, 'home'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('the place of a key is the line of a file of the command, before those of the home folder', () => {
  const config = write('config.yaml', 'columns:\n  - prompt: MINE_KEY is a key\n');
  const providers = write('providers.yaml', 'providers:\n  - name: mine\n    api_key: ${MINE_KEY}\n');
  const home = write('home/model_providers.yaml', 'providers:\n  - { name: own, api_key: "MINE_KEY" }\n');
  expect(placeOfKey('MINE_KEY', ['create', config, '--providers', providers])).toBe(`${providers}:3`);
  expect(placeOfKey('MINE_KEY', ['create', config, `--providers=${providers}`])).toBe(`${providers}:3`);
  expect(placeOfKey('MINE_KEY', ['create', config, '--providers', join(folder, 'gone.yaml')])).toBe(`${home}:2`);
  expect(placeOfKey('OTHER_KEY', ['create', config, '--providers', providers])).toBeUndefined();
});
