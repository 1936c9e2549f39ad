import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSeedSource, ColumnRegistry, parseDocument, readForm, type SeedCheckOptions } from '@data-designer/config';
import { seedConfig } from '../../packages/config/src/schemas/seed-config.ts';
import { inspectSeed } from '../../packages/seeds/src/inspect-seed.ts';

// A seed in a config is data from strangers (DESIGN, "What a dataset config may do"): one case per way to misuse it.

let folder: string;

const registry = new ColumnRegistry([]);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-seeds-'));
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes', 'mine.txt'), 'mine');
  writeFileSync(join(folder, 'secrets.csv'), 'password\nhunter2\n');
  symlinkSync(join(folder, 'secrets.csv'), join(folder, 'notes', 'innocent.txt'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The seed that a YAML text declares. */
function declared(yaml: string) {
  const { seed_config: seed } = parseDocument(yaml, { path: 'config.yaml', json: false }) as {
    readonly seed_config: unknown;
  };
  return seedConfig.parse(readForm(seedConfig, seed));
}

/** The kinds of errors that are found in a seed before anything is read or asked. */
function refusals(source: string, options: Partial<SeedCheckOptions> = {}): string[] {
  const { source: parsed } = declared(`seed_config: {source: {${source}}}`);
  const findings = checkSeedSource(parsed, registry, {
    folder,
    localFiles: true,
    secrets: [],
    environment: {},
    ...options,
  });
  return findings.map(({ type }) => type);
}

const PATH = 'seed_type: hf, path: datasets/a/b/c.csv';

test.each([
  'seed_type: local, path: secrets.csv',
  'seed_type: local, path: /etc/passwd',
  'seed_type: local, path: "../*.csv"',
  'seed_type: dataset, path: artifacts/facts',
  'seed_type: directory, path: notes',
  'seed_type: directory, path: "~"',
  'seed_type: file_contents, path: /etc',
  'seed_type: agent_rollout, format: claude_code',
])('a config from an address reads no file of this machine: %s', (source) => {
  expect(refusals(source, { localFiles: false })).toEqual(['local_file_refused']);
});

test('a config from an address does not learn which files there are', () => {
  const [there, gone] = ['/etc/passwd', '/etc/no-such-file'].map((path) => {
    const { source } = declared(`seed_config: {source: {seed_type: local, path: ${path}}}`);
    return checkSeedSource(source, registry, { folder, localFiles: false, secrets: [] });
  });
  expect(there).toEqual(gone);
});

test.each(['OPENAI_API_KEY', '${OPENAI_API_KEY}', '${HOME}', 'AWS_SECRET_ACCESS_KEY', 'small_letters'])(
  'a config names no secret but HF_TOKEN: %s',
  (token) => {
    const environment = { OPENAI_API_KEY: 'key', HOME: '/home/me', small_letters: 'key' };
    expect(refusals(`${PATH}, token: '${token}'`, { environment })).toEqual(['secret_refused']);
  },
);

test.each([
  'https://evil.example',
  'https://huggingface.co.evil.example',
  'https://huggingface.co:8443',
  'https://evil.example/https://huggingface.co',
  'https://evil.example\\@huggingface.co',
])("the user's HF_TOKEN goes to the Hub only, not to %s", (endpoint) => {
  expect(refusals(`${PATH}, token: HF_TOKEN, endpoint: '${endpoint}'`)).toEqual(['secret_refused']);
});

test.each([
  'https://huggingface.co@evil.example',
  'https://evil.example#huggingface.co',
  'javascript:alert(1)',
  '//evil',
])('an address that is not what it looks like is refused: %s', (endpoint) => {
  expect(refusals(`${PATH}, token: HF_TOKEN, endpoint: '${endpoint}'`)).toEqual(['endpoint_invalid']);
});

test('no token is sent where it can be read on the way', () => {
  expect(refusals(`${PATH}, token: hf_own, endpoint: 'http://evil.example'`)).toEqual(['endpoint_insecure']);
});

test.each(['datasets/a/b/../../../c.csv', 'datasets/a/./b.csv', '../datasets/a/b/c.csv', 'https://evil.example/c.csv'])(
  'a path of the Hub stays in its dataset: %s',
  { tags: 'long' },
  (path) => {
    expect(refusals(`seed_type: hf, path: '${path}'`)).toEqual(['seed_path_invalid']);
  },
);

test('a folder gives no files that a link leads out of it for', async () => {
  const seed = declared(`seed_config: {source: {seed_type: file_contents, path: notes}}`);
  const { rows, findings } = await inspectSeed(seed, { folder });
  expect([rows, findings.map(({ type }) => type)]).toEqual([1, ['seed_files_left_out']]);
});

test('a name of a file is no SQL', async () => {
  const trap = join(folder, 'trap');
  const name = `x'); COPY (SELECT 1) TO 'trap.csv'; --.csv`;
  writeFileSync(join(folder, name), 'a\n1\n');
  const seed = seedConfig.parse({ source: { seedType: 'local', path: name } });
  expect((await inspectSeed(seed, { folder })).columns).toMatchObject([{ name: 'a', type: 'int64' }]);
  expect([existsSync(`${trap}.csv`), existsSync('trap.csv')]).toEqual([false, false]);
});

test.each(['https://example.com/x.csv', 'hf://datasets/a/b/c.csv', 's3://bucket/x.csv', 'file:///etc/x.csv'])(
  'a local path is no address: %s',
  (path) => {
    expect(refusals(`seed_type: local, path: '${path}'`)).toEqual(['seed_path_missing']);
  },
);

test.each([
  ['lists.json', `[{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}]`],
  ['open.json', `[{"a":${'['.repeat(1_000_000)}`],
  ['mappings.jsonl', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
])('a file that is nested to bring down its reader is refused: %s', async (name, content) => {
  writeFileSync(join(folder, name), content);
  const { findings } = await inspectSeed(seedConfig.parse({ source: { seedType: 'local', path: name } }), { folder });
  expect(findings).toMatchObject([{ type: 'seed_unreadable', level: 'ERROR' }]);
  expect(findings[0]?.message).toContain('nested more than 200 levels deep');
});

test('a file with more columns than memory for them is refused', { tags: 'long' }, async () => {
  const header = Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(',');
  writeFileSync(join(folder, 'wide.csv'), `${header}\n${header}\n`);
  const { findings } = await inspectSeed(seedConfig.parse({ source: { seedType: 'local', path: 'wide.csv' } }), {
    folder,
  });
  expect(findings).toMatchObject([{ type: 'seed_unreadable' }]);
  expect(findings[0]?.message).toContain('more memory');
});
