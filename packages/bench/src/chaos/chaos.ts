import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type DatasetReport, runKills } from './run-kills.ts';

const OPTIONS = { times: { type: 'string' }, seed: { type: 'string' } } as const;

/** What the command line asks for; undefined where it is no use of the command. */
function readCommand(): { readonly name: string; readonly times: number; readonly seed: number } | undefined {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const { times = '100', seed = String(randomInt(2 ** 31)) } = values;
    const numbers = [times, seed].every((text) => /^\d{1,15}$/.test(text));
    const name = positionals.join();
    const isKnown = name === 'kills' || (name === 'torn' && Object.keys(values).length === 0);
    return numbers && isKnown ? { name, times: Number(times), seed: Number(seed) } : undefined;
  } catch {
    return undefined;
  }
}

function printDataset({ number, kills, faults }: DatasetReport): string {
  const killed = kills
    .map(({ ms, requests, inFlight }) => `${ms} ms after ${requests} requests with ${inFlight} in flight`)
    .join(', ');
  const became = faults.length === 0 ? 'identical' : `DIFFERS: ${faults.join('; ')}`;
  return `dataset ${number}, killed ${killed || 'never'}: ${became}`;
}

function printTable(reports: readonly DatasetReport[]): string {
  const sum = (of: (report: DatasetReport) => number): number => reports.reduce((total, one) => total + of(one), 0);
  const figures = {
    datasets: reports.length,
    kills: sum(({ kills }) => kills.length),
    resumes: sum(({ resumes }) => resumes),
    identical: sum(({ faults }) => (faults.length === 0 ? 1 : 0)),
    calls: sum(({ answers }) => answers),
    'bought twice': sum(({ boughtTwice }) => boughtTwice),
    'in flight at kill': sum(({ kills }) => kills.reduce((total, { inFlight }) => total + inFlight, 0)),
  };
  const names = Object.keys(figures);
  const cells = Object.values(figures).map((figure, index) => String(figure).padStart(names[index]?.length ?? 0));
  return `${names.join(' | ')}\n${cells.join(' | ')}`;
}

const command = readCommand();
if (!command) {
  process.stderr.write('Usage: npm run chaos -- kills [--times n] [--seed n]\n       npm run chaos -- torn\n');
  process.exit(2);
}

if (command.name === 'torn') {
  const program = fileURLToPath(new URL('../../../engine/test/run-torn.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, program], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

process.stdout.write(`kills, seed ${command.seed}\n`);
const tell = (report: DatasetReport): void => void process.stdout.write(`${printDataset(report)}\n`);
const reports = await runKills({ ...command, tell });
process.stdout.write(`${printTable(reports)}\n`);
if (reports.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
