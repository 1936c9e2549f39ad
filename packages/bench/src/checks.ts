import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, parseDataset, parseRunConfig } from '@data-designer/config';
import { type Cell, Random, type Row, type WrittenValues } from '@data-designer/core';
import { compile, preparePlan } from '@data-designer/engine';
import type { BenchRow } from './spine.ts';

/** Texts of one pass. */
const TEXTS = 1000;
/** The best of so many passes counts; the others were disturbed, or not compiled yet. */
const PASSES = 3;

/** 700 bytes of Python without a fault, as models write it. */
const TIDY = `"""Tides in a harbour."""

import math

PERIOD_HOURS = 12.42


def height(hours: float, mean: float = 2.0) -> float:
    """Give the height of the water, in metres."""
    if hours < 0:
        raise ValueError("hours must not be negative")
    return mean + 1.5 * math.cos(2 * math.pi * hours / PERIOD_HOURS)


class Harbour:
    """A harbour with a depth."""

    def __init__(self, depth: float) -> None:
        self.depth = depth

    def depth_at(self, hours: float) -> float:
        return self.depth + height(hours)


if __name__ == "__main__":
    harbour = Harbour(5.0)
    for hour in range(24):
        print(hour, round(harbour.depth_at(hour), 2))
`;

/** As long, with a fault in every third line. */
const FAULTY = TIDY.replace('hours < 0', 'hours == None')
  .replace('self.depth + height', 'self.depth + heigth')
  .replace('import math\n', 'import math, os\n')
  .replace('print(hour,', 'print(hours,');

const QUERY =
  "SELECT u.id, count(*) AS n FROM users u JOIN orders o ON o.user_id = u.id WHERE o.total > 10 AND o.state IN ('a', 'b') GROUP BY u.id HAVING count(*) > 2 ORDER BY n DESC";

/** What checks of code cost one worker: Python files a second, and statements by SQL dialect. */
export async function checks(): Promise<readonly BenchRow[]> {
  const rows = [
    await rateOf('700 bytes of Python without a fault', 'python', TIDY),
    await rateOf('700 bytes of Python with some', 'python', FAULTY),
    await rateOf('a line of prose as Python', 'python', 'Here is the code you asked for.'),
  ];
  for (const dialect of ['sqlite', 'tsql', 'bigquery', 'mysql', 'postgres', 'ansi']) {
    rows.push(await rateOf(`170 characters of SQL, ${dialect}`, `sql:${dialect}`, QUERY));
  }
  return rows;
}

async function rateOf(what: string, codeLang: string, code: string): Promise<BenchRow> {
  const make = makerOf(codeLang);
  let best = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    const start = performance.now();
    for (let index = 0; index < TEXTS; index++) await make(cellOf({ code: `${code}${' '.repeat(index % 7)}` }));
    best = Math.max(best, (TEXTS * 1000) / (performance.now() - start));
  }
  return { what, figures: { 'texts/s': best, us: 1e6 / best } };
}

/** What a worker calls for each cell. */
function makerOf(codeLang: string): (cell: Cell) => WrittenValues | Promise<WrittenValues> {
  const registry = new ColumnRegistry(columnTypes);
  const columns = [
    { name: 'code', columnType: 'sampler', samplerType: 'category', params: { values: ['x'] } },
    {
      name: 'check',
      columnType: 'validation',
      targetColumns: ['code'],
      validatorType: 'code',
      validatorParams: { codeLang },
    },
  ];
  const { config } = parseDataset({ columns }, registry);
  const runConfig = parseRunConfig({ seed: 1 }, 'The bench');
  const plan = compile(config, { registry, numRecords: 1, runConfig, modelProviders: [], knownTools: [] });
  const make = preparePlan(plan, registry).rowColumns[0]?.make;
  if (!make || !('cell' in make)) throw new Error('code is checked cell by cell');
  return make.cell;
}

function cellOf(row: Row): Cell {
  return { row, rowIndex: 0, random: Random.of(1, 'check'), signal: new AbortController().signal } as unknown as Cell;
}
