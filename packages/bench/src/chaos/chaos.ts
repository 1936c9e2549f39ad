import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type HostileReport, runHostile } from './run-hostile.ts';
import { type DamageReport, runDamage } from './run-damage.ts';
import { type DatasetReport, runKills } from './run-kills.ts';
import { runWorkers, type WorkersReport } from './run-workers.ts';

const OPTIONS = { times: { type: 'string' }, seed: { type: 'string' } } as const;

const KINDS = ['kills', 'workers', 'hostile', 'damage', 'torn', 'limits', 'cluster', 'flows', 'redis'] as const;

/** Kinds that are programs of other packages. */
const PROGRAMS: Partial<Record<Kind, string>> = {
  torn: '../../../engine/test/run-torn.ts',
  limits: '../../../cluster/test/run-limits.ts',
  cluster: '../../../cluster/test/chaos/run-chaos.ts',
  flows: '../../../cluster/test/chaos/run-chaos.ts',
  redis: '../../../cluster/test/run-redis-kinds.ts',
};

/** Programs that take no options. */
const FIXED: ReadonlySet<string> = new Set(['damage', 'torn', 'limits', 'redis']);

type Kind = (typeof KINDS)[number];

const isKind = (word: string): word is Kind => KINDS.some((kind) => kind === word);

interface ChaosCommand {
  readonly kind: Kind;
  readonly times: number;
  readonly seed: number;
}

/** What the command line asks for; undefined where it is no use of the command. */
function readCommand(): ChaosCommand | undefined {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const kind = positionals.join();
    const { times = kind === 'hostile' ? '1000' : '100', seed = String(randomInt(2 ** 31)) } = values;
    const numbers = [times, seed].every((text) => /^\d{1,15}$/.test(text));
    if (!numbers || !isKind(kind)) return undefined;
    if (FIXED.has(kind) && Object.keys(values).length > 0) return undefined;
    return { kind, times: Number(times), seed: Number(seed) };
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
  process.stderr.write(
    'Usage: npm run chaos -- kills|workers|hostile|cluster|flows [--times n] [--seed n]\n       npm run chaos -- damage|torn|limits|redis\n',
  );
  process.exit(2);
}

if (!FIXED.has(command.kind)) process.stdout.write(`${command.kind}, seed ${command.seed}\n`);
const other = PROGRAMS[command.kind];
if (other) {
  const program = fileURLToPath(new URL(other, import.meta.url));
  const given = [String(command.times), String(command.seed), command.kind];
  const { status } = spawnSync(process.execPath, [...process.execArgv, program, ...given], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const CHAOS = { kills: chaosOfKills, workers: chaosOfWorkers, hostile: chaosOfHostile, damage: chaosOfDamage };
const reports: readonly { readonly faults: readonly string[] }[] =
  command.kind in CHAOS ? await CHAOS[command.kind as keyof typeof CHAOS](command) : [];
if (reports.some(({ faults }) => faults.length > 0)) process.exitCode = 1;

async function chaosOfKills(options: ChaosCommand): Promise<readonly DatasetReport[]> {
  const made = await runKills({ ...options, tell: (report) => say(printDataset(report)) });
  say(printTable(made));
  return made;
}

async function chaosOfWorkers(options: ChaosCommand): Promise<readonly WorkersReport[]> {
  const made = await runWorkers({ ...options, tell: (report) => say(printWorkers(report)) });
  const sum = (of: (report: WorkersReport) => number): number => made.reduce((total, one) => total + of(one), 0);
  const ends = sum(({ namedEnds }) => namedEnds);
  const identical = sum(({ faults }) => (faults.length === 0 ? 1 : 0));
  const threads = `${sum(({ terminated }) => terminated)} threads terminated, ${sum((one) => one.whileStarting)} while starting`;
  say(
    `${made.length} datasets, ${sum(({ runs }) => runs)} runs, ${threads}, ${ends} named ends, ${identical} identical`,
  );
  return made;
}

async function chaosOfHostile(options: ChaosCommand): Promise<readonly HostileReport[]> {
  return runHostile({ ...options, tell: (report) => say(printHostile(report)) });
}

function printHostile({ engine, programs, families, ends, seconds, faults }: HostileReport): string {
  const how = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
  const became = faults.length === 0 ? '0 escapes' : `${faults.length} FAULTS`;
  const first = `${engine}: ${programs} programs of ${families} families in ${seconds.toFixed(0)} s (${how.join(', ')}): ${became}`;
  return [first, ...faults].join('\n  ');
}

async function chaosOfDamage(): Promise<readonly DamageReport[]> {
  const made = await runDamage({ tell: (report) => report.faults.length > 0 && say(printDamage(report)) });
  const silent = made.filter(({ faults }) => faults.length > 0).length;
  say(
    `${new Set(made.map(({ file }) => file)).size} files, ${made.length} damages, ${silent} read otherwise in silence`,
  );
  return made;
}

function printDamage({ file, damage, faults }: DamageReport): string {
  return `${file}, ${damage}:${faults.map((fault) => `\n  ${fault}`).join('')}`;
}

function printWorkers({ number, runs, terminated, whileStarting, namedEnds, faults }: WorkersReport): string {
  const became = faults.length === 0 ? 'identical' : `DIFFERS: ${faults.join('; ')}`;
  return `dataset ${number}, ${runs} runs, ${terminated} threads terminated (${whileStarting} while starting), ${namedEnds} named ends: ${became}`;
}
