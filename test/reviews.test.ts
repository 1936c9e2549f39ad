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
  expect(rows.map((row) => row['_review_verdict'])).toEqual(['accept', 'edit', null]);
  expect(rows[1]).toMatchObject({ answer: 'better', _review_rating: null, _review_stale: false });
  expect(rows[0]).toMatchObject({ _review_rating: 5, _review_author: 'ada' });
});

test('chats of accepted rows, and edited answers as preferences, are exported for training', async () => {
  expect(await linesOf('-f', 'chat-jsonl', '--accepted-only')).toHaveLength(2);
  const [{ answer } = {}] = (await linesOf()).slice(1);
  const [pair, ...others] = await linesOf('-f', 'preference-jsonl');
  expect(others).toEqual([]);
  expect(pair).toEqual({
    prompt: [{ role: 'user', content: expect.stringMatching(/^Explain /) }],
    chosen: [{ role: 'assistant', content: 'better' }],
    rejected: [{ role: 'assistant', content: answer }],
  });
});

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

test('select writes the accepted rows with their edits to a new dataset, and names stale reviews', async () => {
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
});

const push = (...flags: readonly string[]) => runCommand(['push', dataset, 'acme/facts', '--dry-run', ...flags]);

test('push leaves reviews out unless they are requested', async () => {
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
  const moved = lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), row: 3 }));
  writeFileSync(join(copy, 'reviews.jsonl'), `${moved.join('\n')}\n`);
  const { stderr } = await runCommand(['export', copy, '-o', changed, '--drop-rejected']);
  expect(stderr).toBe('Row 3 (from 0) changed after the review: the review had no effect.\n');
  expect(await Array.fromAsync((await loadDataset(copy)).reviews())).toMatchObject([{ row: 3, isStale: true }]);
});
