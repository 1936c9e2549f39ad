import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDataset } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

const CONFIG = `
model_configs: [{alias: m, model: sim-small, provider: simulator}]
columns:
  - {name: id, column_type: sampler, sampler_type: uuid, params: {}}
  - {name: topic, column_type: sampler, sampler_type: category, params: {values: [tides, dunes]}}
  - {name: answer, column_type: llm-text, model_alias: m, with_trace: all_messages, prompt: 'Explain {{ topic }}'}
`;

let folder: string;
let dataset: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reviews-'));
  writeFileSync(join(folder, 'config.yaml'), CONFIG);
  await runCommand(['create', join(folder, 'config.yaml'), '-n', '4', '-o', folder]);
  dataset = join(folder, 'dataset');
  const results = await loadDataset(dataset);
  await results.addReview({ row: 0, verdict: 'accept', rating: 5, author: 'ada' });
  await results.addReview({ row: 1, edits: { answer: 'better' } });
  await results.addReview({ row: 2, verdict: 'reject', comment: 'off topic' });
});

afterAll(() => rmSync(folder, { recursive: true }));

async function linesOf(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runCommand(['export', dataset, ...args]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('an export without review flags is that of the files', async () => {
  const rows = await linesOf();
  expect(rows.map(({ answer }) => answer === 'better')).toEqual([false, false, false, false]);
  expect(Object.keys(rows[0] ?? {})).toEqual(['id', 'topic', 'answer', 'answer__trace']);
});

test('export applies reviews, and adds them as columns', async () => {
  const rows = await linesOf('--apply-edits', '--drop-rejected', '--reviews', 'columns');
  expect(rows.map((row) => row['_review_verdict'])).toEqual(['accept', 'accept', null]);
  expect(rows.map((row) => row['_review_edited'])).toEqual([false, true, null]);
  expect(rows[1]).toMatchObject({ answer: 'better', _review_rating: null, _review_stale: false });
  expect(rows[0]).toMatchObject({ _review_rating: 5, _review_author: 'ada' });
});

test(
  'chats of accepted rows, and edited answers as preferences, are exported for training',
  { tags: 'long' },
  async () => {
    expect(await linesOf('-f', 'chat-jsonl', '--accepted-only')).toHaveLength(2);
    const [{ answer } = {}] = (await linesOf()).slice(1);
    const [pair, ...others] = await linesOf('-f', 'preference-jsonl');
    expect(others).toEqual([]);
    expect(pair).toEqual({
      prompt: [{ role: 'user', content: expect.stringMatching(/^Explain /) }],
      chosen: [{ role: 'assistant', content: 'better' }],
      rejected: [{ role: 'assistant', content: answer }],
    });
  },
);

test.each([
  [['--processor', 'p', '--apply-edits'], '--processor cannot be combined with reviews'],
  [['--reviews', 'file'], '--reviews file needs -o FILE'],
  [['-f', 'chat-jsonl', '--apply-edits'], '--apply-edits and chat-jsonl cannot be combined'],
  [['-f', 'preference-jsonl', '--accepted-only'], '--accepted-only has no effect with preference-jsonl'],
])('%j is refused', async (flags, message) => {
  expect(await runCommand(['export', dataset, ...flags])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});

test(
  'select writes the accepted rows with their edits to a new dataset, and names stale reviews',
  { tags: 'long' },
  async () => {
    const flags = ['--apply-edits', '--accepted-only', '--keep-rejected', '--json'];
    const { stdout } = await runCommand(['select', dataset, '-o', folder, '-d', 'good', ...flags]);
    expect(JSON.parse(stdout)).toMatchObject({
      records: 2,
      refused: [{ code: 'select/reviewed', rows: 2 }],
      staleReviews: [],
    });
    const good = await loadDataset<{ answer: string }>(join(folder, 'good'));
    expect((await Array.fromAsync(good.records())).map(({ answer }) => answer === 'better')).toEqual([false, true]);
    expect(await Array.fromAsync(good.reviews())).toEqual([]);
  },
);

const push = (...flags: readonly string[]) => runCommand(['push', dataset, 'acme/facts', '--dry-run', ...flags]);

test('push leaves reviews out unless they are requested', { tags: 'long' }, async () => {
  const without = await push();
  expect(without.stdout).not.toContain('reviews.jsonl');
  expect(without.stderr).toBe('3 reviews left out; --reviews uploads them.\n');
  const withReviews = await push('--reviews');
  expect(withReviews.stdout).toMatch(/reviews\.jsonl\s+->\s+reviews\.jsonl/);
  expect(withReviews.stderr).toBe('');
});

test('a review whose row changed since is stale, and has no effect', async () => {
  const changed = join(folder, 'changed.parquet');
  await runCommand(['select', dataset, '-o', folder, '-d', 'copy']);
  const copy = join(folder, 'copy');
  const lines = readFileSync(join(dataset, 'reviews.jsonl'), 'utf8').trimEnd().split('\n');
  const moved = lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), row: 3, check: undefined }));
  writeFileSync(join(copy, 'reviews.jsonl'), `${moved.join('\n')}\n`);
  const { stderr } = await runCommand(['export', copy, '-o', changed, '--drop-rejected']);
  expect(stderr).toBe('Row 3 (from 0) changed after the review: the review had no effect.\n');
  expect(await Array.fromAsync((await loadDataset(copy)).reviews())).toMatchObject([{ row: 3, isStale: true }]);
});

const PROCESSED = (reviews: string) => `
seed_config:
  source: { seed_type: dataset, path: ${dataset}, ${reviews} }
columns:
  - { name: next, column_type: expression, expr: '{{ topic }}: {{ answer }}' }
processors:
  - name: pair
    processor_type: schema_transform
    template: { text: '{{ next }}', verdict: '{{ _review_verdict }}', note: '{{ _review_comment }}' }
`;

test('a run starts from reviewed rows, and its columns and processors read the reviews', async () => {
  const config = join(folder, 'processed.yaml');
  const create = async (name: string, reviews: string) => {
    writeFileSync(config, PROCESSED(reviews));
    const flags = ['-n', '4', '-o', folder, '-d', name];
    const { code, stderr } = await runCommand(['create', config, ...flags]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const results = await loadDataset<Record<string, string | null>>(join(folder, name));
    const pairs = await Array.fromAsync(results.loadProcessorDataset('pair'));
    return { rows: await Array.fromAsync(results.records()), pairs };
  };
  const accepted = await create('from-accepted', 'reviews: accepted, review_columns: true');
  expect(accepted.rows.map((row) => row['_review_verdict'])).toEqual(['accept', 'accept', 'accept', 'accept']);
  expect(accepted.rows.map((row) => row['_review_edited'])).toEqual([false, true, false, true]);
  expect(accepted.rows[1]?.['next']).toMatch(/^(tides|dunes): better$/);
  const all = await create('from-all', 'review_columns: true');
  expect(all.rows.map((row) => row['_review_verdict'])).toEqual(['accept', 'accept', 'reject', null]);
  expect(all.pairs[2]).toMatchObject({ verdict: 'reject', note: 'off topic' });
  expect(all.rows.some((row) => row['next']?.endsWith('better'))).toBe(false);
});

test('a seed without accepted rows, and one with stale reviews, are reported before the run', async () => {
  const config = join(folder, 'seeded.yaml');
  const validate = async (path: string, reviews: string) => {
    const columns = 'columns: [{ name: next, column_type: expression, expr: x }]';
    writeFileSync(
      config,
      `seed_config: { source: { seed_type: dataset, path: ${path}, reviews: ${reviews} } }\n${columns}\n`,
    );
    return runCommand(['validate', config]);
  };
  const unreviewed = await validate(join(folder, 'from-all'), 'accepted');
  expect([unreviewed.code, unreviewed.stdout + unreviewed.stderr]).toEqual([
    1,
    expect.stringMatching(/no row of .*from-all is accepted/),
  ]);
  const stale = await validate(join(folder, 'copy'), 'not_rejected');
  expect([stale.code, stale.stdout + stale.stderr]).toEqual([
    0,
    expect.stringMatching(/one review of .*copy had no effect/),
  ]);
  const wrong = await validate(dataset, 'acepted');
  expect([wrong.code, wrong.stdout + wrong.stderr]).toEqual([1, expect.stringContaining('accepted')]);
});

test('a preview of a workflow reads all rows, since nobody has reviewed them', { tags: 'long' }, async () => {
  const columns = 'columns: [{ name: id, column_type: sampler, sampler_type: uuid, params: {} }]';
  writeFileSync(join(folder, 'ids.yaml'), columns);
  writeFileSync(
    join(folder, 'flow.yaml'),
    'stages: [{ name: ids, config: ids.yaml }, { name: good, reviews: accepted }]',
  );
  const { code, stdout } = await runCommand(['preview', join(folder, 'flow.yaml'), '-n', '2', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { stages: [{ stage: 'ids' }, { records: [{}, {}] }] }]);
});

test('an export of accepted rows names those with edits and no verdict', async () => {
  const results = await loadDataset(dataset);
  await results.addReview({ row: 3, verdict: null, edits: { answer: 'new' } });
  const { stdout, stderr } = await runCommand(['export', dataset, '--accepted-only']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stderr).toBe('Row 3 (from 0) has edits and no verdict: --accepted-only left it out.\n');
});
