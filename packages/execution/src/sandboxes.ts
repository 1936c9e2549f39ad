import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DataDesignerError,
  parseJson,
  sourceExecArgv,
  stringifyJson,
  threadEntry,
  tryParse,
} from '@data-designer/core';
import { type Engine, failedRun, tooLong } from './engine.ts';
import type { AnyEngineName } from './engine-names.ts';
import { ENGINES } from './engines.ts';
import { foldersOf } from './optional-package.ts';
import type { Check, Ran, RunFailure } from './run.ts';

const ENTRY = fileURLToPath(threadEntry(import.meta.url, './sandbox-process'));

/** Processes of all engines that run programs at a time in this thread; as many may wait for work. */
const MOST_BUSY = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
/** What the one process that prepares others may take: it starts an interpreter from nothing, on a busy machine too. */
const PREPARE_MS = 300_000;
/** What a process may take to start, on a busy machine too. */
const START_MS = 60_000;
/** What a run may take beyond its own limit, which the engine keeps where it can. */
const GRACE_MS = 2_000;
/** A process without work ends after this time. */
const IDLE_MS = 10_000;
/** The pipe of what an engine has prepared. */
const PREPARED = 3;
/** Programs that one process runs: its memory is freed with it. */
const MOST_CHECKS = 2_000;

/** A process that ends while it starts, as where memory is short, is replaced until so many have been started. */
const MOST_STARTS = 3;

/** Why a process without a word of its own cannot be used. */
const ENDED = 'its process ended before it was ready';

/** The failure of a run without an answer. */
const LOST: RunFailure = { kind: 'sandbox', message: 'the process of the sandbox ended' };

/** The flag of Node's permission model, which had another name until Node 22.13. */
const PERMISSION = ['--permission', '--experimental-permission'].find((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/** Runs the programs of a check one after the other; each failure is one of its run. Throws `execution/unusable`. */
export function execute(name: AnyEngineName, check: Check): Promise<readonly Ran[]> {
  return pool.run(name, check);
}

class Sandboxes {
  readonly #idle = new Map<AnyEngineName, Sandbox[]>();
  readonly #waiting: (() => void)[] = [];
  readonly #prepared = new Map<AnyEngineName, Promise<Uint8Array>>();
  #open = 0;
  #busy = 0;

  async run(name: AnyEngineName, check: Check): Promise<readonly Ran[]> {
    while (this.#busy >= MOST_BUSY) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy++;
    try {
      const prepared = await this.#prepare(name);
      for (let tried = 0; tried < MOST_STARTS; tried++) {
        const ran = await this.#runOnce(name, check, prepared);
        if (ran) return ran;
      }
      return check.runs.map(() => ({ ...failedRun(LOST), ms: 0 }));
    } finally {
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  /** Runs a check in a process; undefined for one that ended before it began the check, as a process that waited may have. */
  async #runOnce(name: AnyEngineName, check: Check, prepared: Uint8Array): Promise<readonly Ran[] | undefined> {
    if (this.#idleOf(name).length === 0 && this.#open >= 2 * MOST_BUSY) this.#endIdle();
    const sandbox = await this.#readyOne(name, prepared);
    try {
      const ran = sandbox.run(check);
      // The next program finds a process that has started already.
      if (!ENGINES[name].isReusable && this.#idleOf(name).length === 0 && this.#open < 2 * MOST_BUSY) {
        this.#idleOf(name).push(this.#start(name, prepared));
      }
      return await ran;
    } finally {
      if (sandbox.isReusable) this.#idleOf(name).push(sandbox);
      else sandbox.end();
    }
  }

  /** A process that is ready; throws `execution/unusable` where a new one cannot be. */
  async #readyOne(name: AnyEngineName, prepared: Uint8Array): Promise<Sandbox> {
    const waited = this.#idleOf(name).shift();
    // One that waited may have ended meanwhile.
    if (waited && (await waited.unusable()) === undefined) return waited;
    let reason: string | undefined = ENDED;
    for (let tried = 0; tried < MOST_STARTS && reason === ENDED; tried++) {
      const started = this.#start(name, prepared);
      reason = await started.unusable();
      if (reason === undefined) return started;
    }
    throw new DataDesignerError('execution/unusable', { engine: name, reason, forAll: true });
  }

  /** The processes of an engine that wait for work, the oldest first. */
  #idleOf(name: AnyEngineName): Sandbox[] {
    const idle = this.#idle.get(name) ?? [];
    this.#idle.set(name, idle);
    return idle;
  }

  /** What the first process of an engine makes for those behind it; a failure is that of one check. */
  #prepare(name: AnyEngineName): Promise<Uint8Array> {
    if (ENGINES[name].prepare === undefined) return NOTHING;
    const prepared = this.#prepared.get(name) ?? preparedBy(name);
    this.#prepared.set(name, prepared);
    prepared.catch(() => this.#prepared.delete(name));
    return prepared;
  }

  #start(name: AnyEngineName, prepared: Uint8Array): Sandbox {
    this.#open++;
    return new Sandbox(name, prepared, (sandbox) => {
      this.#open--;
      this.#idle.set(
        name,
        this.#idleOf(name).filter((other) => other !== sandbox),
      );
    });
  }

  /** Ends a process of another engine that waits for work. */
  #endIdle(): void {
    [...this.#idle.values()].flat().at(0)?.end();
  }
}

const NOTHING = Promise.resolve(new Uint8Array());

/** What a process of an engine prepares. */
async function preparedBy(name: AnyEngineName): Promise<Uint8Array> {
  const child = startProcess(name, 'prepare');
  const timer = setTimeout(() => child.kill('SIGKILL'), PREPARE_MS);
  try {
    const [said, prepared] = await Promise.all([
      text(child.stdout as Readable),
      buffer(child.stdio[PREPARED] as Readable),
    ]);
    if (said === '' && prepared.length > 0) return prepared;
    const line = tryParse(said, parseJson) as Line | undefined;
    const reason = line && 'unusable' in line ? line.unusable : ENDED;
    throw new DataDesignerError('execution/unusable', { engine: name, reason, forAll: true });
  } finally {
    clearTimeout(timer);
  }
}

/** Starts a process of an engine; nothing of the environment reaches a program. */
function startProcess(name: AnyEngineName, work: 'run' | 'prepare') {
  const [program = '', ...args] = commandOf(name);
  const child = spawn(program, [...args, work, String(process.pid)], {
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  child.once('error', () => {});
  for (const pipe of child.stdio) pipe?.on('error', () => {});
  return child;
}

/** What a process writes: that it is ready or cannot be, that it begins a check, or a run that has ended. */
type Line = { readonly ready: true } | { readonly unusable: string } | { readonly begun: true } | Ran;

/** The process of an engine. */
class Sandbox {
  readonly #engine: Engine;
  readonly #child: ChildProcess;
  readonly #onEnd: (sandbox: Sandbox) => void;
  #checks = 0;
  #isReady = false;
  #text = '';
  #hasEnded = false;
  #onLine: ((line: Line | undefined) => void) | undefined;
  readonly #lines: (Line | undefined)[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor(name: AnyEngineName, prepared: Uint8Array, onEnd: (sandbox: Sandbox) => void) {
    this.#engine = ENGINES[name];
    this.#onEnd = onEnd;
    this.#child = startProcess(name, 'run');
    (this.#child.stdio[PREPARED] as Writable).end(prepared);
    this.#child.once('error', () => this.#ended());
    this.#child.once('exit', () => this.#ended());
    this.#wait(START_MS);
    this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => this.#read(part));
  }

  /** Whether it may run a further check. */
  get isReusable(): boolean {
    return this.#engine.isReusable && !this.#hasEnded && this.#checks < MOST_CHECKS;
  }

  /** Runs a check; undefined where the process ended before it began. */
  async run(check: Check): Promise<readonly Ran[] | undefined> {
    this.#use();
    this.#checks++;
    let hasBegun = false;
    try {
      this.#child.stdin?.write(`${stringifyJson(check)}\n`);
      const ran: Ran[] = [];
      const { runs, limits } = check;
      while (ran.length < runs.length) {
        const since = performance.now();
        const line = await this.#next(limits.timeoutMs + GRACE_MS);
        if (line && 'begun' in line) hasBegun = true;
        else if (line && 'ms' in line) ran.push(line);
        else {
          // The rest of the program's runs have no process either.
          const isLate = line === undefined && performance.now() - since >= limits.timeoutMs;
          if (!hasBegun && !isLate) return undefined;
          const failure = isLate ? tooLong(limits) : LOST;
          ran.push(...runs.slice(ran.length).map(() => ({ ...failedRun(failure), ms: 0 })));
          this.end();
        }
      }
      return ran;
    } finally {
      this.#wait(IDLE_MS);
    }
  }

  /** Waits until it is ready; why it cannot be. */
  async unusable(): Promise<string | undefined> {
    this.#use();
    if (this.#hasEnded || this.#isReady) return this.#hasEnded ? ENDED : undefined;
    const line = await this.#next(START_MS);
    this.#isReady = line !== undefined && 'ready' in line;
    if (this.#isReady) return undefined;
    this.end();
    return line && 'unusable' in line ? line.unusable : ENDED;
  }

  #use(): void {
    clearTimeout(this.#idle);
    this.#ref(true);
  }

  #wait(ms: number): void {
    this.#ref(false);
    this.#idle = setTimeout(() => this.end(), ms).unref();
  }

  end(): void {
    clearTimeout(this.#idle);
    this.#child.kill('SIGKILL');
    this.#ended();
  }

  /** The next line; undefined where the process ended or the time is over. */
  #next(ms: number): Promise<Line | undefined> {
    if (this.#lines.length > 0) return Promise.resolve(this.#lines.shift());
    if (this.#hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#onLine?.(undefined), ms);
      this.#onLine = (line) => {
        clearTimeout(timer);
        this.#onLine = undefined;
        resolve(line);
      };
    });
  }

  #read(part: string): void {
    const lines = (this.#text + part).split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      const parsed = parseJson(line) as unknown as Line;
      if (this.#onLine) this.#onLine(parsed);
      else this.#lines.push(parsed);
    }
  }

  #ended(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onLine?.(undefined);
    this.#onEnd(this);
  }

  /** A process without work lets the program end, which ends it. */
  #ref(isBusy: boolean): void {
    for (const handle of [this.#child, ...this.#child.stdio] as readonly (Partial<NodeJS.RefCounted> | null)[]) {
      if (isBusy) handle?.ref?.();
      else handle?.unref?.();
    }
  }
}

/** The command of a process: it may read the files of its engine, and nothing else. */
function commandOf(name: AnyEngineName): readonly string[] {
  const { packages, flags } = ENGINES[name];
  const own = sourceExecArgv(import.meta.url);
  return [process.execPath, '--no-warnings', ...own, ...permissionsOf(packages, own.length > 0), ...flags, ENTRY, name];
}

/** The permissions of Node: reading the files of some packages. */
function permissionsOf(packages: readonly string[] | undefined, isSource: boolean): readonly string[] {
  if (PERMISSION === undefined || packages === undefined) return [];
  // From source, the packages of the workspace and their libraries lie in one folder.
  const folders = isSource ? [join(dirname(ENTRY), '../../..')] : [dirname(ENTRY), ...packages.flatMap(foldersOf)];
  // The thread that watches for the end of the parent is a worker.
  return [PERMISSION, '--allow-worker', ...folders.map((folder) => `--allow-fs-read=${join(folder, '*')}`)];
}

const pool = new Sandboxes();
