import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDataset } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { dataDesigner, runCommand } from './command-line.ts';

const GROUP = 30;
const ROWS = 3 * GROUP;
/** What eight cells of half a megabyte in each row of a group have no room in. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=64' };
const LARGE = "('x' * 500000) | upper";

let folder: string;
let simulator: RunningSimulator;

const at = (...names: string[]) => join(folder, ...names);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lost-groups-'));
  simulator = await startSimulator();
  writeFileSync(at('rows.jsonl'), Array.from({ length: ROWS }, (_, k) => `{"k": ${k}}\n`).join(''));
  const providers = { providers: [{ name: 'counted', endpoint: simulator.url }] };
  writeFileSync(at('providers.json'), JSON.stringify(providers));
  writeFileSync(at('settings.json'), JSON.stringify({ buffer_size: GROUP }));
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Answers first; then cells that are large in the rows that the condition names. */
function declare(large: string): void {
  const expr = `{{ a ~ (${LARGE}) if ${large} else a }}`;
  const cells = Array.from({ length: 8 }, (_, index) => ({ name: `b${index}`, column_type: 'expression', expr }));
  const config = {
    seed_config: { source: { seed_type: 'local', path: at('rows.jsonl') } },
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'counted' }],
    columns: [{ name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ k }}.' }, ...cells],
  };
  writeFileSync(at('config.json'), JSON.stringify(config));
}

function create(rows: number, ...more: string[]): string[] {
  const files = ['--providers', at('providers.json'), '-c', at('settings.json')];
  return ['create', at('config.json'), '-n', `${rows}`, '-o', folder, '-d', 'made', '--seed', '2', ...files, ...more];
}

const filesIn = (name: string) => readdirSync(at('made', name));

test(
  'a row group that runs out of memory is left unfinished, and the others are committed',
  { timeout: 300_000, tags: 'long' },
  async () => {
    declare(`k >= ${GROUP} and k < ${2 * GROUP}`);
    const { code, stderr } = await dataDesigner(create(ROWS), SMALL_HEAP);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\[run\/worker-lost\]: Row group 1 lost its worker thread \d times; .* reaching memory limit/,
    );
    expect(stderr).toContain(`The group's ${GROUP} rows are unfinished; their answers are saved.`);
    expect(filesIn('parquet-files')).toEqual(['batch_00000.parquet', 'batch_00002.parquet']);
    expect(filesIn('journal')).toEqual(['group_00001', 'group_00001.partial']);
    expect(filesIn('tmp-partial-parquet-files')).toEqual([]);

    // With room for it, the group is made of the answers that were kept.
    const again = await runCommand(create(ROWS, '-r', 'always', '--json'));
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ records: ROWS, lost: [], usage: { writer: { requests: ROWS } } });
    const after = await simulator.stats();
    expect([after.boughtTwice, after.answers]).toEqual([0, ROWS]);
    const numbers = (await Array.fromAsync(readDataset(at('made')))).map((row) => (row as { k: number }).k);
    expect(numbers).toEqual(Array.from({ length: ROWS }, (_, k) => k));
  },
);

test(
  'a run whose row groups all stay unfinished ends with the first cause',
  { timeout: 300_000, tags: 'long' },
  async () => {
    declare('true');
    const { code, stderr } = await dataDesigner(create(2 * GROUP), SMALL_HEAP);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\[run\/worker-lost\]: Row group \d lost its worker thread \d times/);
    expect(filesIn('journal').filter((name) => !name.endsWith('.partial'))).toHaveLength(2);
    expect(readFileSync(at('made', 'metadata.json'), 'utf8')).toContain('"actual_num_records": 0');
  },
);
