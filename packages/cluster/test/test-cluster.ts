import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ComposedWorkflow,
  type CreateOptions,
  DataDesigner,
  type DataDesignerConfigBuilder,
  type DataDesignerOptions,
  type JoinRunOptions,
  type WorkflowRunOptions,
} from 'data-designer';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { startCommand, type StartedCommand } from '../../bench/src/chaos/start-command.ts';
import { startRedis, type TestRedis } from './start-redis.ts';

/** Threads take long to start on a busy machine. */
export const LIMIT_MS = 180_000;
/** For one event within such a test: a missing one is reported before the test ends. */
export const WAIT_MS = 60_000;
/** The variable that holds the key of the provider, and its value. */
const KEY = 'CLUSTER_TEST_KEY';
export const SECRET = 'sk-the-key-of-the-cluster-test';
const SEED = 6;
/** The rows of a row group. */
export const GROUP = 4;

/** The code of a machine, and the servers that only some machines know. */
export interface MachineCode extends Pick<DataDesignerOptions, 'plugins' | 'mediaRoots'> {
  readonly tools?: NonNullable<DataDesignerOptions['providers']>['tools'];
  /** The address of another model server than that of the other machines. */
  readonly endpoint?: string;
  /** Further model providers: their addresses by name. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** How many row groups the machines have open at a time, at least. */
  readonly openGroups?: number;
}

/** What the machines of a test file share: a folder, Redis and a model. */
export class TestCluster implements AsyncDisposable {
  readonly folder: string;
  readonly redis: TestRedis;
  readonly simulator: RunningSimulator;

  private constructor(redis: TestRedis, simulator: RunningSimulator) {
    this.folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    this.redis = redis;
    this.simulator = simulator;
    process.env[KEY] = SECRET;
  }

  /** Starts the servers; the model answers after so many milliseconds. */
  static async start({ latency }: { readonly latency: number }): Promise<TestCluster> {
    const [redis, simulator] = await Promise.all([startRedis(), startSimulator('--latency', String(latency))]);
    return new TestCluster(redis, simulator);
  }

  /** A machine of this process, with this code and these servers. */
  newDesigner(code: MachineCode = {}): DataDesigner {
    const { tools = [], endpoint = this.simulator.url, endpoints = {}, openGroups, ...options } = code;
    const models = Object.entries({ own: endpoint, ...endpoints }).map(([name, address]) => {
      return { name, endpoint: address, providerType: 'openai', apiKey: KEY } as const;
    });
    return new DataDesigner({
      artifactPath: this.folder,
      providers: { models, tools },
      runConfig: { seed: SEED, bufferSize: GROUP, ...(openGroups && { maxConcurrentRowGroups: openGroups }) },
      ...options,
    });
  }

  /** The providers of `newDesigner` as a file for commands. */
  providersFile(): string {
    const provider = { name: 'own', endpoint: this.simulator.url, provider_type: 'openai', api_key: KEY };
    return this.write('providers.json', { providers: [provider] });
  }

  /** The words of a command that creates a dataset on the cluster. */
  createArgs(name: string, { config, rows }: { readonly config: object; readonly rows: number }): readonly string[] {
    const settings = this.write('settings.json', { buffer_size: GROUP });
    const made = ['create', this.write('config.json', config), '--providers', this.providersFile(), '-c', settings];
    const where = ['-n', String(rows), '-o', this.folder, '-d', name];
    return [...made, '--seed', String(SEED), ...where, '--cluster', this.redis.address, '--lease', '3s'];
  }

  /** Writes a JSON file to the folder; returns its path. */
  write(name: string, content: object): string {
    const path = join(this.folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

/** A config of a test. */
type TestConfig = DataDesignerConfigBuilder | { readonly document: object; readonly source: string };

/** The options of a run on the cluster, which has its connection. */
export type SharedOptions = Omit<CreateOptions, 'cluster'> & {
  readonly cluster?: Partial<NonNullable<CreateOptions['cluster']>>;
};

/** The machines of a test. */
export class TestMachines {
  readonly #cluster: TestCluster;
  readonly #stop = new AbortController();
  readonly #designers: DataDesigner[] = [];
  readonly #runs: Promise<unknown>[] = [];
  readonly #commands: StartedCommand[] = [];

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  create(config: TestConfig, { signal, cluster: settings, ...options }: SharedOptions, code?: MachineCode) {
    const cluster = { connection: this.#cluster.redis.address, leaseSeconds: 3, ...settings };
    const stop = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
    return this.#track(this.#designer(code).create(config, { ...options, cluster, signal: stop }));
  }

  /** Makes the stages of a workflow. */
  run<Row, Stages, OwnRow>(
    compose: (designer: DataDesigner) => ComposedWorkflow<Row, Stages, OwnRow>,
    {
      signal,
      cluster: settings,
      ...options
    }: Omit<WorkflowRunOptions, 'cluster'> & { readonly cluster?: SharedOptions['cluster'] | undefined },
    code?: MachineCode,
  ) {
    const cluster = { connection: this.#cluster.redis.address, leaseSeconds: 3, ...settings };
    const stop = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
    return this.#track(compose(this.#designer(code)).run({ ...options, cluster, signal: stop }));
  }

  join(path: string, options: Partial<JoinRunOptions> = {}, code?: MachineCode) {
    const given = { connection: this.#cluster.redis.address, signal: this.#stop.signal, ...options };
    return this.#track(this.#designer(code).join(path, given));
  }

  command(args: readonly string[], setting?: Parameters<typeof startCommand>[1]): StartedCommand {
    const started = startCommand(args, setting);
    this.#commands.push(started);
    return started;
  }

  /** Stops all of them, also after a test that failed in the middle, and waits until none is left. */
  async end(): Promise<void> {
    this.#stop.abort();
    for (const { child, finished } of this.#commands) {
      child.kill('SIGKILL');
      await finished;
    }
    await this.#cluster.simulator.release();
    await Promise.allSettled(this.#runs);
    for (const designer of this.#designers) await designer[Symbol.asyncDispose]();
  }

  #designer(code?: MachineCode): DataDesigner {
    const designer = this.#cluster.newDesigner(code);
    this.#designers.push(designer);
    return designer;
  }

  #track<Run extends Promise<unknown>>(run: Run): Run {
    this.#runs.push(run);
    // Each test says what it expects of a run; one that has failed before that must not end the process.
    run.catch(() => {});
    return run;
  }
}
