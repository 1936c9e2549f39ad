import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { awaited } from './awaited.ts';
import { MadeRecords } from './made-records.ts';
import { PreviewResults } from './preview-results.ts';

const results = Object.create(PreviewResults.prototype) as PreviewResults;
const LIKE = { call: 'designer.preview(…)', type: PreviewResults };

test('members of the results that are read from the promise say that it is to be awaited', async () => {
  const promise = awaited(Promise.resolve(results), LIKE);
  const members = promise as unknown as PreviewResults;
  for (const member of ['count', 'usage', 'displaySampleRecord', 'toArrow'] as const) {
    expect(() => members[member]).toThrow(`Write: (await designer.preview(…)).${member}`);
  }
  expect(await promise).toBe(results);
  expect(promise).toBeInstanceOf(Promise);
  expect(results).toBeInstanceOf(MadeRecords);
});

const rowsOf = (promise: unknown) => Array.fromAsync(promise as AsyncIterable<unknown>);

test('iteration over the promise says how to read the rows', async () => {
  const preview = awaited(Promise.resolve(results), LIKE);
  await expect(rowsOf(preview)).rejects.toThrow(
    'Write: for await (const row of (await designer.preview(…)).records())',
  );
  const create = awaited(Promise.resolve(results), { ...LIKE, call: 'create(…)', rows: 'create(…).records()' });
  await expect(rowsOf(create)).rejects.toThrow(
    'create(…) returns a promise of results, and no rows to iterate over. Write: for await (const row of create(…).records())',
  );
});

test('a failure that somebody waits for is left as it is', async () => {
  const failure = new Error('broken');
  const stack = failure.stack;
  await expect(awaited(Promise.reject(failure), LIKE)).rejects.toBe(failure);
  const all = Promise.all([awaited(Promise.reject(failure), LIKE), Promise.resolve()]);
  await expect(all).rejects.toBe(failure);
  expect(failure.stack).toBe(stack);
});

test('a failure that nobody waits for ends the process and says how to wait', { tags: 'long' }, () => {
  const code = `
    const { awaited } = await import('./packages/results/src/records/awaited.ts');
    const { PreviewResults } = await import('./packages/results/src/records/preview-results.ts');
    const later = new Promise((_, reject) => setTimeout(() => reject(new Error('broken')), 1));
    awaited(later, { call: 'designer.preview(…)', type: PreviewResults });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  `;
  const args = ['--conditions=@data-designer/source', '--input-type=module-typescript', '-e', code];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(
      /Nobody waits for designer\.preview\(…\), so that its failure ends the process\. Write: await designer\.preview\(…\)\n\nError: broken/,
    ),
  ]);
});
