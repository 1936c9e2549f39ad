import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, loadDataset } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDataDesigner } from './command-line.ts';

const PROGRAM = 'packages/data-designer/bin/data-designer.js';
const ROWS = 2000;
let folder: string;
let dataset: string;
let config: string;

const builder = new DataDesignerConfigBuilder()
  .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
  .addColumn({ name: 'text', columnType: 'expression', expr: '{{ id }} {{ id }} {{ id }} {{ id }}' });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cut-output-'));
  config = join(folder, 'config.yaml');
  writeFileSync(config, builder.toYaml());
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 8 } });
  dataset = (await designer.create(builder, { numRecords: ROWS, datasetName: 'made' })).path;
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command whose standard output goes away after the first piece of it. */
async function cutAfterFirst(args: readonly string[]) {
  const { child, finished } = startDataDesigner(args);
  child.stdout?.once('data', () => child.stdout?.destroy());
  return finished;
}

for (const { what, args, tags } of [
  { what: 'show', args: () => ['show', dataset, '-n', String(ROWS)], tags: [] },
  { what: 'export', args: () => ['export', dataset], tags: ['long'] },
  { what: 'preview', args: () => ['preview', config, '-n', String(ROWS)], tags: ['long'] },
  { what: 'help', args: () => ['--help'], tags: [] },
])
  test(`${what} ends quietly when the reader closes the pipe`, { tags }, async () => {
    const { code, stderr } = await cutAfterFirst(args());
    expect(stderr).not.toContain('EPIPE');
    expect(code).toBe(0);
  });

test('a run continues after standard error is closed', { tags: 'long' }, async () => {
  const { child, finished } = startDataDesigner(['create', config, '-n', String(ROWS), '-o', folder, '-d', 'unheard']);
  child.stderr?.destroy();
  expect((await finished).code).toBe(0);
  expect((await loadDataset(join(folder, 'unheard'))).count).toBe(ROWS);
});

test.runIf(existsSync('/dev/full')).each(['show', 'export'])(
  '%s onto a full disk fails in one sentence',
  { tags: 'long' },
  async (command) => {
    const said = join(folder, `${command}.txt`);
    const [full, stderr] = [openSync('/dev/full', 'w'), openSync(said, 'w')];
    const args = [PROGRAM, command, dataset];
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, stderr] });
    expect(await once(child, 'close')).toEqual([1, null]);
    for (const file of [full, stderr]) closeSync(file);
    expect(readFileSync(said, 'utf8')).toMatch(
      /^Error \[dataset\/disk-full\]: The disk is full at standard output\..*\n$/,
    );
  },
);
