import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { attempts } from './attempts.ts';
import { checks } from './checks.ts';
import { cluster, permits } from './cluster.ts';
import { conversations } from './conversations.ts';
import { documents } from './documents.ts';
import { environments } from './environments.ts';
import { execution } from './execution.ts';
import { eta } from './eta.ts';
import { exports } from './export.ts';
import { journal } from './journal.ts';
import { memory } from './made-table.ts';
import { million } from './million.ts';
import { crowd, models } from './models.ts';
import { profile } from './profile.ts';
import { samplers } from './samplers.ts';
import { select } from './select.ts';
import { shapes } from './shapes.ts';
import { start } from './start/start.ts';
import { type BenchRow, spine } from './spine.ts';
import { templates } from './templates.ts';
import { tools } from './tools.ts';
import { trajectories } from './trajectories.ts';
import { view } from './view.ts';
import { wide } from './wide.ts';
import { workers } from './workers.ts';

const BENCHES: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  spine,
  start,
  models,
  crowd,
  attempts,
  conversations,
  documents,
  environments,
  execution,
  tools,
  templates,
  trajectories,
  samplers,
  profile,
  checks,
  select,
  shapes,
  journal,
  memory,
  wide,
  workers,
  million,
  eta,
  export: exports,
  permits,
  cluster,
  view,
};

const name = process.argv[2] ?? '';
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (!bench) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(BENCHES).join('|')}\n`);
  process.exit(2);
}

const rows = await bench();
process.stdout.write(`${rows.map(printRow).join('\n')}\n`);
mkdirSync('artifacts/bench', { recursive: true });
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
writeFileSync(`artifacts/bench/${name}.json`, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`);

function printRow({ what, figures }: BenchRow): string {
  const cells = Object.entries(figures).map(([unit, figure]) => `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`);
  return `${what.padEnd(52)} ${cells.join(', ')}`;
}
