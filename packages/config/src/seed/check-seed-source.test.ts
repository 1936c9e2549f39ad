import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readForm, writeForm } from '../read-form.ts';
import { seedConfig } from '../schemas/seed-config.ts';
import { loadDocument } from '../load-document.ts';
import { checkSeedSource } from './check-seed-source.ts';

const conformance = fileURLToPath(new URL('../../../../test/conformance/data/', import.meta.url));

interface Case {
  readonly file: string;
  readonly valid: boolean;
  readonly stage?: string;
  readonly error_paths?: readonly string[];
  readonly normalized?: { readonly data_designer?: { readonly seed_config?: unknown } };
}

const CASES = readFileSync(join(conformance, 'configs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
  .filter(({ file, normalized }) => /\/seed_/.test(file) || normalized?.data_designer?.seed_config)
  .map((one) => [one.file, one] as const);

/** What loading finds in the seed of a config of the conformance data, and how it is written back. */
function load(file: string): { mistakes: string[]; written?: unknown } {
  const document = loadDocument(join(conformance, file)) as { readonly seed_config: unknown };
  const parsed = seedConfig.safeParse(readForm(seedConfig, document.seed_config));
  if (!parsed.success) return { mistakes: parsed.error.issues.map(({ path }) => path.join('.')) };
  const options = { folder: join(conformance, 'configs'), localFiles: true, secrets: [], environment: {} };
  const findings = checkSeedSource(parsed.data.source, options).filter(({ stage }) => stage === 'load');
  const written = JSON.parse(JSON.stringify(writeForm(seedConfig, parsed.data))) as unknown;
  return { mistakes: findings.map(({ field }) => field.join('.')), written };
}

const inCamelCase = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const isRefused = ([, { valid, stage }]: (typeof CASES)[number]) => !valid && stage === 'load';

test.each(CASES.filter((one) => !isRefused(one)))('%s loads as in the Python tool', (file, { normalized }) => {
  expect(load(file)).toEqual({ mistakes: [], written: normalized?.data_designer?.seed_config });
});

test.each(CASES.filter(isRefused))('%s is refused at its place', (file, { error_paths: places }) => {
  const roots = places?.map((place) => inCamelCase(place.replace('seed_config.', ''))) ?? ['source'];
  const { mistakes } = load(file);
  expect(mistakes.filter((mistake) => roots.some((root) => mistake.startsWith(root)))).not.toEqual([]);
});

test('there are conformance cases of seeds', () => {
  expect(CASES.length).toBeGreaterThan(20);
});

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-seed-'));
  for (const inner of ['notes', 'bare', 'links']) mkdirSync(join(folder, inner));
  writeFileSync(join(folder, 'notes', 'one.txt'), 'one');
  symlinkSync(join(folder, 'notes', 'one.txt'), join(folder, 'links', 'out.txt'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What is found in a source, as `stage field: type`. */
function found(source: object, { localFiles = true } = {}): string[] {
  const parsed = seedConfig.parse(readForm(seedConfig, { source }));
  const findings = checkSeedSource(parsed.source, { folder, localFiles, secrets: [], environment: {} });
  return findings.map(({ stage, field, type }) => `${stage} ${field.join('.')}: ${type}`);
}

test.each([
  [{ seed_type: 'directory', path: 'notes' }, []],
  [{ seed_type: 'directory', path: 'gone' }, ['validate source.path: seed_path_missing']],
  [{ seed_type: 'directory', path: 'notes/one.txt' }, ['validate source.path: seed_path_missing']],
  [{ seed_type: 'directory', path: 'bare' }, ['run source.path: seed_empty']],
  [{ seed_type: 'directory', path: '.', file_pattern: '*.txt', recursive: false }, ['run source.path: seed_empty']],
  [{ seed_type: 'file_contents', path: 'notes', file_pattern: '*.md' }, ['run source.path: seed_empty']],
  [{ seed_type: 'file_contents', path: 'notes', encoding: 'utf-7' }, ['run source.encoding: encoding_unsupported']],
  [{ seed_type: 'agent_rollout', format: 'codex', path: 'notes' }, ['run source.path: seed_empty']],
  [{ seed_type: 'local', path: 'notes' }, ['load source.path: seed_path_missing']],
  [{ seed_type: 'local', path: 'notes/one.txt' }, ['load source.path: seed_format_unknown']],
  [{ seed_type: 'df', rows: [] }, []],
])('%o: %o', (source, findings) => {
  expect(found(source)).toEqual(findings);
});

test('of a folder that holds only links out of it, that is said', () => {
  const source = seedConfig.parse({ source: { seedType: 'directory', path: 'links' } }).source;
  const [finding] = checkSeedSource(source, { folder, localFiles: true, secrets: [] });
  expect(finding?.remedy).toBe("One is left out, as 'out.txt': it leads out of the folder.");
});

test.each([
  { seed_type: 'local', path: '/etc/passwd' },
  { seed_type: 'local', path: 'gone.csv' },
  { seed_type: 'directory', path: 'notes' },
  { seed_type: 'file_contents', path: '/etc', encoding: 'cp437' },
  { seed_type: 'agent_rollout', format: 'codex' },
])('from an address, %o is refused whether it exists or not', (source) => {
  expect(found(source, { localFiles: false }).map((finding) => finding.replace(/source[^:]*/, 'source'))).toEqual([
    'run source: local_file_refused',
  ]);
});

test('from an address, the Hub and rows in memory are fine', () => {
  expect(found({ seed_type: 'hf', path: 'datasets/a/b/c.csv' }, { localFiles: false })).toEqual([]);
  expect(found({ seed_type: 'df', rows: [{ a: 1 }] }, { localFiles: false })).toEqual([]);
});
