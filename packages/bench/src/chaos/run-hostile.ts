import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stringifyJson } from '@data-designer/core';
import { type EngineName, execute, type Ran, type Run } from '@data-designer/execution';
import { ENGINE_NAMES } from '@data-designer/execution/options';
import { Descendants } from './descendants.ts';
import { CONTROLS, ENDLESS_PROGRAMS, type HostileProgram, hostilePrograms, SPOILERS } from './hostile-programs.ts';

/** What the programs of a language did. */
export interface HostileReport {
  readonly engine: EngineName;
  readonly programs: number;
  readonly families: number;
  /** How they ended: `ended`, or the kind of their failure. */
  readonly ends: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Escapes, state that was left behind, and processes that outlived their run: one sentence each. */
  readonly faults: readonly string[];
}

const VARIABLE = 'HOSTILE_CANARY';
const AT_A_TIME = 8;
/** The time of one program; an interpreter that starts in WebAssembly is slower. */
const TIMEOUT_MS = 700;
const LIMITS = { memoryBytes: 64_000_000, outputBytes: 20_000 };
/** What a program may take to start on a busy machine before its run is killed. */
const START_MS = 60_000;

/** Runs hostile programs of each language next to canaries, and says what escaped. */
export async function runHostile({
  times,
  seed,
  engines = ENGINE_NAMES,
  tell,
}: {
  readonly times: number;
  readonly seed: number;
  /** All unless given. */
  readonly engines?: readonly EngineName[];
  readonly tell: (report: HostileReport) => void;
}): Promise<readonly HostileReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  const canary = `canary-${randomUUID()}`;
  const [secret, target] = [join(folder, 'secret.txt'), join(folder, 'written.txt')];
  writeFileSync(secret, canary);
  process.env[VARIABLE] = canary;
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };

  const escapesOf = (program: HostileProgram, ran: readonly Ran[]): readonly string[] => {
    const escapes = [];
    if (stringifyJson(ran).includes(canary)) escapes.push('it read the canary');
    if (existsSync(target)) escapes.push('a file was written');
    if (connections > 0) escapes.push('a connection was made');
    if (readFileSync(secret, 'utf8') !== canary) escapes.push('a file was changed');
    rmSync(target, { force: true });
    connections = 0;
    return escapes.map((what) => `${what}, ${program.family}: ${program.text.slice(0, 300)}`);
  };

  const reports: HostileReport[] = [];
  for (const engine of engines) {
    const since = performance.now();
    const programs = hostilePrograms(engine, { secret, target, port, variable: VARIABLE }, { count: times, seed });
    const ends: Record<string, number> = {};
    const faults: string[] = [];
    const control = { family: 'control', text: '' };
    const found = escapesOf(control, await execute(engine, { runs: [CONTROLS[engine](canary)], limits: patient() }));
    if (found.length !== 1) faults.push('the canary is not found in what a program gives');
    const left = programs.values();
    const work = async () => {
      for (const program of left) {
        const ran = await execute(engine, { runs: [{ scripts: [program.text] }], limits: hasty() });
        const end = ran[0]?.failure?.kind ?? 'ended';
        ends[end] = (ends[end] ?? 0) + 1;
        faults.push(...escapesOf(program, ran));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    faults.push(...(await leftBehind(engine)), ...(await outlived(engine)));
    const report = {
      engine,
      programs: programs.length,
      families: new Set(programs.map(({ family }) => family)).size,
      ends,
      seconds: (performance.now() - since) / 1000,
      faults,
    };
    tell(report);
    reports.push(report);
  }
  server.close();
  rmSync(folder, { recursive: true });
  return reports;
}

function hasty() {
  return { ...LIMITS, timeoutMs: TIMEOUT_MS };
}

function patient() {
  return { ...LIMITS, timeoutMs: START_MS };
}

/** What one program has left for the next. */
async function leftBehind(engine: EngineName): Promise<readonly string[]> {
  const faults = [];
  for (const [spoils, finds] of SPOILERS[engine]) {
    const run = (text: string): Promise<readonly Ran[]> =>
      execute(engine, { runs: [{ scripts: [text] } satisfies Run], limits: patient() });
    const [spoiled] = await run(spoils);
    const [found] = await run(finds);
    if (spoiled?.failure) faults.push(`${spoils}: ${spoiled.failure.message}`);
    if (found?.failure) faults.push(`state was left behind by ${spoils}: ${found.failure.message}`);
  }
  return faults;
}

/** Kills a run in the middle of an endless program; its sandbox must end too. */
async function outlived(engine: EngineName): Promise<readonly string[]> {
  const entry = fileURLToPath(new URL('run-endless.ts', import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, entry, engine, ENDLESS_PROGRAMS[engine]], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  using descendants = new Descendants(child.pid ?? 0);
  await once(child.stdout, 'data');
  await sleep(1_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const left = await descendants.survivors();
  return left.map((pid) => `the process ${pid} outlived its run`);
}
