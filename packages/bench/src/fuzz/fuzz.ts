import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { printFault } from './print-fault.ts';
import { type FuzzOptions, type FuzzReport, runFuzz } from './run-fuzz.ts';
import { TARGETS } from './targets.ts';

const OPTIONS = { cases: { type: 'string' }, seed: { type: 'string' }, from: { type: 'string' } } as const;

/** What the command line asks for; undefined where it is no use of the command. */
function readCommand(): FuzzOptions | undefined {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const [target = '', ...more] = positionals;
    const { cases = '20000', seed = String(randomInt(2 ** 31)), from = '0' } = values;
    const numbers = [cases, seed, from].every((text) => /^\d{1,15}$/.test(text));
    if (!numbers || more.length > 0 || !Object.hasOwn(TARGETS, target)) return undefined;
    return { target, cases: Number(cases), seed: Number(seed), from: Number(from) };
  } catch {
    return undefined;
  }
}

function printReport({ cases, seconds, outcomes }: FuzzReport): string {
  const counts = Object.entries(outcomes)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`);
  return `${cases} cases, ${Math.round(cases / seconds)} cases/s: ${counts.join(', ')}`;
}

const command = readCommand();
if (!command) {
  process.stderr.write(`Usage: npm run fuzz -- ${Object.keys(TARGETS).join('|')} [--cases n] [--seed n] [--from n]\n`);
  process.exit(2);
}

process.stdout.write(`${command.target}, seed ${command.seed}\n`);
const report = await runFuzz(command);
process.stdout.write(`${printReport(report)}\n`);
if (report.fault) {
  process.stdout.write(`${await printFault(report.fault, command.target, command.seed)}\n`);
  process.exitCode = 1;
}
