import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, parseDataset, parseRunConfig } from '@data-designer/config';
import type { ArrowField, Batch, ColumnData } from '@data-designer/core';
import { compile, preparePlan, runRowGroup } from '@data-designer/engine';
import { checkBatch } from '@data-designer/dataset/write';
import { makeTable } from './made-table.ts';
import { EIGHT_COLUMNS, PEOPLE } from './sampled-columns.ts';
import type { BenchRow } from './spine.ts';

/** Rows of one pass on one thread. */
const ROWS = 100_000;
/** The best of so many passes counts; the others were disturbed, or not compiled yet. */
const PASSES = 12;

/** What rows from nothing cost: on one thread into Arrow, and end to end into Parquet. */
export async function samplers(): Promise<readonly BenchRow[]> {
  const floor = bestRate(() => checkBatch(plainBatch(ROWS)));
  return [
    row(`(a) ${ROWS} rows x 8 plain arrays of Math.random into Arrow`, await floor, await floor),
    row(`(a) ${ROWS} rows x 8 samplers into Arrow, one thread`, await bestRate(fillingOf(EIGHT_COLUMNS)), await floor),
    row(
      `(b) ${ROWS} people of person_from_faker into Arrow, one thread`,
      await bestRate(fillingOf(PEOPLE)),
      await floor,
    ),
    await endToEnd(1_000_000),
    await endToEnd(10_000_000),
  ];
}

function row(what: string, rate: number, floor: number): BenchRow {
  return { what, figures: { 'rows/s': rate, 'x floor': floor / rate } };
}

async function bestRate(pass: (firstRow: number) => Promise<void>): Promise<number> {
  let best = 0;
  for (let index = 0; index < PASSES; index++) {
    const start = performance.now();
    await pass(index * ROWS);
    best = Math.max(best, (ROWS * 1000) / (performance.now() - start));
  }
  return best;
}

/** Makes row groups in this thread as a worker does, up to the Arrow record batch. */
function fillingOf(columns: readonly object[]): (firstRow: number) => Promise<void> {
  const registry = new ColumnRegistry(columnTypes);
  const runConfig = parseRunConfig({ seed: 1 }, 'The bench');
  const { config } = parseDataset({ columns }, registry);
  const plan = compile(config, { registry, numRecords: ROWS, runConfig, modelProviders: [], knownTools: [] });
  const prepared = preparePlan(plan, registry);
  return async (firstRow) => {
    await runRowGroup(
      prepared,
      { index: 0, firstRow, rows: ROWS },
      {
        // No model and no tool is asked.
        gateway: undefined as never,
        signal: new AbortController().signal,
        tables: () => Promise.resolve(new Map()),
        write: async ({ fields, columns: made, rows }) => {
          await checkBatch({ fields, columns: made, rows });
          return { bytes: new Uint8Array() };
        },
      },
    );
  };
}

/** The same table without samplers: what the arrays and their encoding cost alone. */
function plainBatch(rows: number): Batch {
  const fields: ArrowField[] = [];
  const columns = new Map<string, ColumnData>();
  for (const { name, samplerType } of EIGHT_COLUMNS) {
    const type = samplerType === 'category' ? 'utf8' : samplerType === 'bernoulli' ? 'int64' : 'float64';
    fields.push({ name, type, nullable: true });
    columns.set(name, type === 'utf8' ? plainTexts(rows) : plainNumbers(rows));
  }
  return { fields, columns, rows };
}

function plainTexts(rows: number): ColumnData {
  return Array.from({ length: rows }, () => (Math.random() < 0.5 ? 'kelp' : 'dulse'));
}

function plainNumbers(rows: number): ColumnData {
  const values = new Float64Array(rows);
  for (let index = 0; index < rows; index++) values[index] = Math.floor(Math.random() * 2);
  return values;
}

async function endToEnd(rows: number): Promise<BenchRow> {
  const { runMs, wallMs, peakMb } = await makeTable(rows);
  const figures = {
    'rows/s': (rows * 1000) / runMs,
    'rows/s with process start': (rows * 1000) / wallMs,
    'peak MB': peakMb,
  };
  return { what: `(c) ${rows} rows x 8 samplers to Parquet`, figures };
}
