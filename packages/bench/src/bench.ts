import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { spine } from './spine.ts';

const BENCHES = { spine } as const;

const name = process.argv[2] ?? '';
if (!Object.hasOwn(BENCHES, name)) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(BENCHES).join('|')}\n`);
  process.exit(2);
}

const rows = await BENCHES[name as keyof typeof BENCHES]();
const shown = rows.map(({ what, ...figures }) => [
  what,
  ...Object.entries(figures).map(([unit, figure]) => `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`),
]);
process.stdout.write(`${shown.map((cells) => cells.join(' | ')).join('\n')}\n`);
mkdirSync('artifacts/bench', { recursive: true });
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
writeFileSync(`artifacts/bench/${name}.json`, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`);
