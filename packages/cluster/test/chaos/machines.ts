import { readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosDataset } from '../../../bench/src/chaos/chaos-dataset.ts';
import { startCommand, type StartedCommand } from '../../../bench/src/chaos/start-command.ts';
import type { Stop } from './purchases.ts';

/** How long machines may be silent, by the seed of a dataset: three divides none of them. */
const LEASES_MS = [3100, 2999, 3001.5, 3050, 1001] as const;
/** The longest of them. */
export const LEASE_MS = Math.max(...LEASES_MS);

export function leaseOf(seed: number): number {
  return LEASES_MS[seed % LEASES_MS.length] ?? LEASES_MS[0];
}

/** A process that stands for a machine. */
export interface ChaosMachine {
  readonly name: string;
  readonly run: StartedCommand;
  state: 'runs' | 'frozen' | 'killed' | 'ended';
  ended: Awaited<StartedCommand['finished']> | undefined;
}

/** The machines of one dataset, as processes of this computer. */
export class ChaosMachines implements AsyncDisposable {
  readonly #dataset: ChaosDataset;
  readonly #redis: string;
  readonly #setting: { readonly preload?: URL };
  readonly #leaseMs: number;
  readonly all: ChaosMachine[] = [];
  readonly stops: Stop[] = [];

  constructor(
    dataset: ChaosDataset,
    redis: string,
    { hasLinks, leaseMs }: { readonly hasLinks: boolean; readonly leaseMs: number },
  ) {
    this.#leaseMs = leaseMs;
    this.#dataset = dataset;
    this.#redis = redis;
    this.#setting = hasLinks ? {} : { preload: new URL('no-hard-links.ts', import.meta.url) };
  }

  /** Those that run or are frozen. */
  get alive(): readonly ChaosMachine[] {
    return this.all.filter(({ state }) => state === 'runs' || state === 'frozen');
  }

  /** Starts a machine: it joins the run, or begins it if there is none. */
  start(): void {
    const name = `machine-${this.all.length}`;
    const providers = this.#dataset.providersOf(name);
    const cluster = ['--cluster', this.#redis];
    const isBegun = this.#hasRun() || this.alive.some(({ run }) => run.child.spawnargs.includes('create'));
    const create = [...this.#dataset.commandWith(providers), ...cluster, '--lease', `${this.#leaseMs / 1000}s`];
    const args = isBegun ? ['join', this.#dataset.path, '--providers', providers, ...cluster] : create;
    const machine: ChaosMachine = { name, run: startCommand(args, this.#setting), state: 'runs', ended: undefined };
    this.all.push(machine);
    void machine.run.finished.then((ended) => {
      if (machine.state !== 'killed') machine.state = 'ended';
      machine.ended = ended;
    });
  }

  /** Stops a machine, waits until the server has sent all that was in flight, and kills it: the worst that a kill can do. */
  async kill(machine: ChaosMachine, inFlightMs: number): Promise<void> {
    machine.state = 'killed';
    machine.run.child.kill('SIGSTOP');
    this.stops.push({ machine: machine.name, from: Date.now(), until: Infinity });
    await sleep(inFlightMs);
    machine.run.child.kill('SIGKILL');
    await machine.run.finished;
  }

  /** Stops a machine for a while. */
  async freeze(machine: ChaosMachine, ms: number): Promise<void> {
    machine.state = 'frozen';
    machine.run.child.kill('SIGSTOP');
    const from = Date.now();
    await sleep(ms);
    this.stops.push({ machine: machine.name, from, until: Date.now() });
    machine.run.child.kill('SIGCONT');
    if (machine.state === 'frozen') machine.state = 'runs';
  }

  /** Ends those that still run. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { run } of this.all) {
      run.child.kill('SIGKILL');
      await run.finished;
    }
  }

  /** Whether the folder has a run that machines may join. */
  #hasRun(): boolean {
    const clusters = join(this.#dataset.path, 'cluster');
    return existsSync(clusters) && readdirSync(clusters).some((run) => existsSync(join(clusters, run, 'start.json')));
  }
}
