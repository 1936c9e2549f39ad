import { mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDataDesigner } from './command-line.ts';

let folder: string;
let dataset: string;

/** As many rows as take a while to export. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopped-exports-'));
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 8 } });
  const builder = new DataDesignerConfigBuilder()
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'text', columnType: 'expression', expr: '{{ id }} {{ id }} {{ id }} {{ id }}' });
  dataset = (await designer.create(builder, { numRecords: 100_000, datasetName: 'made' })).path;
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Exports into a folder of its own, and sends the signal once a file is there. */
async function stopExport(name: string, signal: NodeJS.Signals) {
  const into = join(folder, `${name}-${signal}`);
  mkdirSync(into);
  const { child, finished } = startDataDesigner(['export', dataset, '-o', join(into, name)]);
  using watcher = watched(into, () => child.kill(signal));
  const { code } = await finished;
  return { code, seen: watcher.seen, left: readdirSync(into) };
}

function watched(path: string, onFirst: () => void): Disposable & { readonly seen: readonly string[] } {
  const seen: string[] = [];
  const watcher = watch(path, (_, name) => {
    if (seen.push(name ?? '') === 1) onFirst();
  });
  return { seen, [Symbol.dispose]: () => watcher.close() };
}

test.each([
  ['all.jsonl', 'SIGINT', 130],
  ['all.csv', 'SIGTERM', 143],
  ['all.arrow', 'SIGTERM', 143],
] as const)('an export to %s that %s ends leaves no file and exits with %i', async (name, signal, wanted) => {
  const { code, seen, left } = await stopExport(name, signal);
  expect(seen[0]).toMatch(/\.tmp-/);
  expect(left).toEqual([]);
  expect(code).toBe(wanted);
});
