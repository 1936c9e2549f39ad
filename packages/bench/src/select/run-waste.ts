import { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { fieldsOf } from '@data-designer/core';
import { startSimulator } from '@data-designer/simulator';
import type { BenchRow } from '../spine.ts';

const ROWS = 10_000;
/** One more than the workers: the I/O thread has a processor of its own. */
const PROCESSORS = 9;

const NUMBER = {
  name: 'n',
  column_type: 'sampler',
  sampler_type: 'uniform',
  params: { low: 0, high: 100_000, decimal_places: 0 },
  convert_to: 'int',
};
const ANSWER = { name: 'answer', column_type: 'llm-text', model_alias: 'writer', prompt: 'A fact about {{ n }}.' };
const MODEL = { alias: 'writer', model: 'sim-small', provider: 'bench', skip_health_check: true };

/** Conditions that accept half of the candidates: before their request, and after it. */
const CONDITIONS = {
  'condition on an early column': 'n % 2 == 0',
  'condition on a late column': 'n % 2 == 0 and answer | length > 0',
};

/** The requests of runs with a selection beyond those that their rows need, with eight workers. */
export async function runWaste(rows = ROWS): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-select-'));
  const processors = os.availableParallelism;
  os.availableParallelism = () => PROCESSORS;
  syncBuiltinESMExports();
  try {
    await using simulator = await startSimulator();
    const models = [{ name: 'bench', endpoint: simulator.url }];
    await using designer = new DataDesigner({ artifactPath: folder, providers: { models }, runConfig: { seed: 5 } });
    const make = (document: object, numRecords: number) =>
      designer.create({ document, source: 'the bench' }, { numRecords, datasetName: `made-${Date.now()}` });
    const drawn = await Array.fromAsync((await make({ columns: [NUMBER] }, 3 * rows)).records());
    const even = drawn.flatMap((row, index) => (Number(fieldsOf(row)['n']) % 2 === 0 ? index : []));
    const results: BenchRow[] = [];
    for (const [what, where] of Object.entries(CONDITIONS)) {
      const document = { columns: [NUMBER, ANSWER], model_configs: [MODEL], select: { where } };
      const { usage, count } = await make(document, rows);
      const requests = usage['writer']?.requests ?? 0;
      const needed = where.includes('answer') ? (even[rows - 1] ?? 0) + 1 : rows;
      const figures = { rows: count, requests, needed, 'waste %': (100 * (requests - needed)) / needed };
      results.push({ what: `run of a selection, ${what}, 8 workers`, figures });
    }
    return results;
  } finally {
    os.availableParallelism = processors;
    syncBuiltinESMExports();
    rmSync(folder, { recursive: true });
  }
}
