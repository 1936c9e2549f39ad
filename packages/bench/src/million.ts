import { parseArgs } from 'node:util';
import { fieldsOf } from '@data-designer/core';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';

const CELLS = 1_000_000;
const COLUMNS = 2;
const IN_FLIGHT = 256;
const LOOK_MS = 1000;
/** Lines of the table, and points of the plot. */
const [LINES, POINTS] = [20, 60];

/** Memory of this process and cells made by some moment of a run. */
interface Moment {
  readonly ms: number;
  readonly cells: number;
  readonly rssMb: number;
}

/** One uninterrupted run of a million cells of language models (`--cells N`): memory and rate while it goes. */
export async function million(): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { cells: { type: 'string' } } });
  const cells = Number(values.cells ?? CELLS);
  await using simulator = await startSimulator();
  await using bench = openBench(simulator.url);
  const moments = await watched(simulator, () =>
    bench.create({ rows: Math.ceil(cells / COLUMNS), columns: COLUMNS, inFlight: IN_FLIGHT }),
  );
  const points = thinned(moments, POINTS);
  const rates = points.slice(1).map((moment, index) => rateBetween(points[index] ?? moment, moment));
  process.stdout.write(
    textPlot('cells/s', rates) +
      textPlot(
        'MB',
        points.slice(1).map(({ rssMb }) => rssMb),
      ),
  );
  return table(thinned(moments, LINES + 1));
}

/** Looks on while work is done. */
async function watched(simulator: RunningSimulator, work: () => Promise<unknown>): Promise<readonly Moment[]> {
  const startedAt = performance.now();
  const moments: Moment[] = [];
  const look = async (): Promise<void> => {
    const { answers } = fieldsOf(await (await fetch(`${simulator.origin}/stats?brief`)).json());
    const rssMb = process.memoryUsage.rss() / 1024 / 1024;
    moments.push({ ms: performance.now() - startedAt, cells: Number(answers), rssMb });
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_MS);
  await work();
  clearInterval(timer);
  await look();
  return moments;
}

function rateBetween(before: Moment, after: Moment): number {
  return ((after.cells - before.cells) * 1000) / (after.ms - before.ms);
}

/** So many of them at most, evenly, the first and the last among them. */
function thinned(moments: readonly Moment[], count: number): readonly Moment[] {
  if (moments.length <= count) return moments;
  const step = (moments.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => moments[Math.round(index * step)] as Moment);
}

function table(moments: readonly Moment[]): readonly BenchRow[] {
  return moments.slice(1).map((moment, index) => {
    const rate = rateBetween(moments[index] ?? moment, moment);
    const figures = { cells: moment.cells, 'cells/s': rate, MB: moment.rssMb };
    return { what: `after ${(moment.ms / 1000).toFixed(0)} s`, figures };
  });
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** A plot of figures over time in two lines of text: bars, and the range of the figures. */
function textPlot(unit: string, figures: readonly number[]): string {
  const largest = Math.max(0, ...figures);
  const bars = figures.map((figure) => BLOCKS[Math.min(7, Math.floor((8 * Math.max(0, figure)) / (largest || 1)))]);
  return `${bars.join('')}\n${unit}, ${Math.round(Math.min(...figures))} to ${Math.round(largest)}\n`;
}
