import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadDocument } from '@data-designer/config';
import { realModelHint } from './print-created.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'go-on-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const README = readFileSync('README.md', 'utf8');
const CONFIGS: readonly [string, string][] = [
  ["it's mine.yaml", /```yaml\n([\s\S]*?)```/.exec(README)?.[1] ?? ''],
  ['quickstart.yaml', readFileSync('configs/quickstart.yaml', 'utf8')],
  ['compact.json', '{"model_configs":[{"model":"sim-small","provider":"simulator","alias":"a"}]}'],
  ['spaced.json', '{"model_configs": [{"model": "sim-small", "provider": "simulator", "alias": "a"}]}'],
];

test.each(CONFIGS)('the command for %s makes a readable config that differs in the models only', (name, text) => {
  const source = join(folder, name);
  writeFileSync(source, text);
  const [command = ''] = /sed .*/.exec(realModelHint(source)) ?? [];
  execFileSync('sh', ['-c', command], { cwd: folder });
  const mine = loadDocument(join(folder, name.endsWith('.json') ? 'mine.json' : 'mine.yaml'));
  const wanted = text.replaceAll('simulator', 'openai').replaceAll(/sim-(small|large)/g, 'gpt-4.1');
  const expected = join(folder, name.replace('.', '-wanted.'));
  writeFileSync(expected, wanted);
  expect(mine).toEqual(loadDocument(expected));
  expect(JSON.stringify(mine)).toContain('"provider":"openai"');
});

test('the hint for a config from a URL has no command', () => {
  expect(realModelHint('https://example.org/facts.yaml')).toMatch(/^\n.* in a copy of the config\.\n$/);
});
