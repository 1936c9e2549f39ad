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

const hint = (source: string, args = ['create', source], providers = ['openai']): string =>
  realModelHint({ source, args, providers });

test.each(CONFIGS)('the command for %s makes a readable config that differs in the models only', (name, text) => {
  const source = join(folder, name);
  writeFileSync(source, text);
  const [command = ''] = /sed .*/.exec(hint(source)) ?? [];
  execFileSync('sh', ['-c', command], { cwd: folder });
  const mine = loadDocument(join(folder, name.endsWith('.json') ? 'mine.json' : 'mine.yaml'));
  const wanted = text.replaceAll('simulator', 'openai').replaceAll(/sim-(small|large)/g, 'gpt-4.1');
  const expected = join(folder, name.replace('.', '-wanted.'));
  writeFileSync(expected, wanted.replaceAll('sim-embed', 'text-embedding-3-large'));
  expect(mine).toEqual(loadDocument(expected));
  expect(JSON.stringify(mine)).toContain('"provider":"openai"');
});

test('the command has the flags of the user, without those that continue a dataset', () => {
  const source = join(folder, 'facts.yaml');
  writeFileSync(source, 'model_configs: [{ alias: a, model: sim-small, provider: simulator }]\n');
  const args = ['create', source, '-n', '300', '--providers', 'my providers.yaml', '-d', 'facts', '-r', 'always'];
  expect(hint(source, [...args, '--retry-lost'])).toContain(
    "\n  npx data-designer create mine.yaml -n 300 --providers 'my providers.yaml' -d facts\n",
  );
});

const SIMULATED = 'model_configs: [{ alias: a, model: sim-small, provider: simulator }]\n';

test.each([
  ['https://example.org/facts.yaml', undefined, /^\n.* in a copy of the config\.\n$/],
  ['facts.ts', 'export const config = {};', /^\n.* where the config names the simulator\.\n$/],
  ['pictures.yaml', SIMULATED.replace('sim-small', 'sim-image'), /^\n.* where the config names the simulator\.\n$/],
  ['quoted.yaml', SIMULATED.replace('simulator', "'simulator'"), /^\n.* where the config names the simulator\.\n$/],
  ['elsewhere.yaml', 'columns: []\n', /^\n.* where the config names the simulator\.\n$/],
])('the hint for %s has no command, because it would not be right', (name, text, expected) => {
  const source = text === undefined ? name : join(folder, name);
  if (text !== undefined) writeFileSync(source, text);
  expect(hint(source)).toMatch(expected);
});

test('the hint has no command for openai where the providers of the user have none', () => {
  const source = join(folder, 'facts.yaml');
  writeFileSync(source, SIMULATED);
  expect(hint(source, ['create', source], ['mine'])).not.toContain('sed');
});
