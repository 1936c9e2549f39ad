import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs, promisify } from 'node:util';
import { fieldsOf } from '@data-designer/core';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { textDeclaration } from './open-bench.ts';
import { PROGRAM } from './start/run-built.ts';
import type { BenchRow } from './spine.ts';

const CELLS = 1_000_000;
const COLUMNS = 2;
const IN_FLIGHT = 256;
const LOOK_MS = 1000;
/** Lines of the table, and points of the plot. */
const [LINES, POINTS] = [20, 60];

/** Memory of the process and cells made by some moment of a run. */
interface Moment {
  readonly ms: number;
  readonly cells: number;
  readonly rssMb: number;
}

/** One run of the built program that makes a million cells of language models (`--cells N`): its memory and rate. */
export async function million(): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { cells: { type: 'string' } } });
  const rows = Math.ceil(Number(values.cells ?? CELLS) / COLUMNS);
  await using simulator = await startSimulator();
  const moments = await watchedRun(simulator, rows);
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

/** Runs `create` in a process of its own and notes its memory and its cells until it ends. */
async function watchedRun(simulator: RunningSimulator, rows: number): Promise<readonly Moment[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-million-'));
  try {
    const provider = { name: 'bench', endpoint: simulator.url, provider_type: 'openai' };
    writeFileSync(join(home, 'model_providers.yaml'), JSON.stringify({ providers: [provider] }));
    const config = join(home, 'config.json');
    writeFileSync(config, JSON.stringify(textDeclaration({ rows, columns: COLUMNS, inFlight: IN_FLIGHT })));
    const args = [PROGRAM, 'create', config, '-n', String(rows), '-o', join(home, 'out')];
    const env = { ...process.env, DATA_DESIGNER_HOME: home, NODE_COMPILE_CACHE: join(home, 'compiled') };
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = text(child.stderr);
    const moments: Moment[] = [];
    const timer = setInterval(() => {
      void look(simulator, child.pid).then((seen) => {
        if (seen) moments.push({ ms: performance.now() - startedAt, ...seen });
      });
    }, LOOK_MS);
    const [code] = await once(child, 'exit');
    clearInterval(timer);
    if (code !== 0) throw new Error(`create ended with ${String(code)}: ${await stderr}`);
    return moments;
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** The cells made by now and the memory of the process; undefined once it has ended. */
async function look(simulator: RunningSimulator, pid = 0): Promise<Omit<Moment, 'ms'> | undefined> {
  const { answers } = fieldsOf(await (await fetch(`${simulator.origin}/stats?brief`)).json());
  const rssKb = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).then(
    ({ stdout }) => Number(stdout),
    () => 0,
  );
  return rssKb > 0 ? { cells: Number(answers), rssMb: rssKb / 1024 } : undefined;
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
