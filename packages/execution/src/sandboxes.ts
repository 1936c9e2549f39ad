import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesignerError, parseJson, sourceExecArgv, stringifyJson, threadEntry } from '@data-designer/core';
import { type Engine, failedRun, tooLong } from './engine.ts';
import type { EngineName } from './engine-names.ts';
import { ENGINES } from './engines.ts';
import { foldersOf } from './optional-package.ts';
import type { Check, Ran, RunFailure } from './run.ts';

const ENTRY = fileURLToPath(threadEntry(import.meta.url, './sandbox-process'));

/** Processes of all engines at a time in this thread. */
const MOST_PROCESSES = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
/** What a process may take to start, on a busy machine too. */
const START_MS = 60_000;
/** The processor time of a start. */
const START_CPU_SECONDS = 15;
/** What a run may take beyond its own limit, which the engine keeps where it can. */
const GRACE_MS = 2_000;
/** A process without work ends after this time. */
const IDLE_MS = 10_000;
/** Programs that one process runs: its memory is freed with it. */
const MOST_CHECKS = 2_000;

/** The failure of a run without an answer. */
const LOST: RunFailure = { kind: 'sandbox', message: 'the process of the sandbox ended' };

/** The flag of Node's permission model, which had another name until Node 22.13. */
const PERMISSION = ['--permission', '--experimental-permission'].find((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/** Runs the programs of a check one after the other; each failure is one of its run. Throws `execution/unusable`. */
export function execute(name: EngineName, check: Check): Promise<readonly Ran[]> {
  return pool.run(name, check);
}

class Sandboxes {
  readonly #idle = new Map<EngineName, Sandbox[]>();
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  async run(name: EngineName, check: Check): Promise<readonly Ran[]> {
    while (this.#open >= MOST_PROCESSES && (this.#idle.get(name) ?? []).length === 0 && !this.#endIdle()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const sandbox = this.#idle.get(name)?.pop() ?? this.#start(name, check);
    try {
      return await sandbox.run(check);
    } finally {
      if (sandbox.isReusable) this.#idle.set(name, [...(this.#idle.get(name) ?? []), sandbox]);
      else sandbox.end();
      this.#waiting.shift()?.();
    }
  }

  #start(name: EngineName, check: Check): Sandbox {
    this.#open++;
    return new Sandbox(commandOf(name, check), name, (sandbox) => {
      this.#open--;
      this.#idle.set(
        name,
        (this.#idle.get(name) ?? []).filter((other) => other !== sandbox),
      );
      this.#waiting.shift()?.();
    });
  }

  /** Ends a process of another engine that waits for work. */
  #endIdle(): boolean {
    const sandbox = [...this.#idle.values()].flat().at(0);
    sandbox?.end();
    return sandbox !== undefined;
  }
}

/** What a process writes: that it is ready or cannot be, or a run that has ended. */
type Line = { readonly ready: true } | { readonly unusable: string } | Ran;

/** The process of an engine. */
class Sandbox {
  readonly #engine: Engine;
  readonly #name: EngineName;
  readonly #child: ChildProcess;
  readonly #onEnd: (sandbox: Sandbox) => void;
  #checks = 0;
  #text = '';
  #hasEnded = false;
  #onLine: ((line: Line | undefined) => void) | undefined;
  readonly #lines: (Line | undefined)[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor([program = '', ...args]: readonly string[], name: EngineName, onEnd: (sandbox: Sandbox) => void) {
    this.#name = name;
    this.#engine = ENGINES[name];
    this.#onEnd = onEnd;
    // Nothing of the environment reaches a program.
    this.#child = spawn(program, args, { cwd: tmpdir(), env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.unref();
    this.#child.once('error', () => this.#ended());
    this.#child.once('exit', () => this.#ended());
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => this.#read(part));
  }

  /** Whether it may run a further check. */
  get isReusable(): boolean {
    return this.#engine.isReusable && !this.#hasEnded && this.#checks < MOST_CHECKS;
  }

  async run(check: Check): Promise<readonly Ran[]> {
    clearTimeout(this.#idle);
    this.#ref(true);
    try {
      if (this.#checks++ === 0) await this.#ready();
      this.#child.stdin?.write(`${stringifyJson(check)}\n`);
      const ran: Ran[] = [];
      const { runs, limits } = check;
      while (ran.length < runs.length) {
        const since = performance.now();
        const line = await this.#next(limits.timeoutMs + GRACE_MS);
        if (line && 'ms' in line) ran.push(line);
        else {
          // The rest of the program's runs have no process either.
          const isLate = line === undefined && performance.now() - since >= limits.timeoutMs;
          const failure = isLate ? tooLong(limits) : LOST;
          ran.push(...runs.slice(ran.length).map(() => ({ ...failedRun(failure), ms: 0 })));
          this.end();
        }
      }
      return ran;
    } finally {
      this.#ref(false);
      this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  end(): void {
    clearTimeout(this.#idle);
    this.#child.kill('SIGKILL');
    this.#ended();
  }

  async #ready(): Promise<void> {
    const line = await this.#next(START_MS);
    if (line && 'ready' in line) return;
    this.end();
    const reason = line && 'unusable' in line ? line.unusable : 'its process ended before it was ready';
    throw new DataDesignerError('execution/unusable', { engine: this.#name, reason, forAll: true });
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
    const { stdin, stdout } = this.#child as unknown as Readonly<
      Record<'stdin' | 'stdout', Partial<NodeJS.RefCounted>>
    >;
    for (const handle of [this.#child, stdin, stdout]) {
      if (isBusy) handle.ref?.();
      else handle.unref?.();
    }
  }
}

/** The command of a process: it may read the files of its engine, and nothing else. */
function commandOf(name: EngineName, check: Check): readonly string[] {
  const { packages, flags, isReusable } = ENGINES[name];
  const own = sourceExecArgv(import.meta.url);
  // From source, the packages of the workspace and their libraries lie in one folder.
  const folders =
    own.length > 0 ? [join(dirname(ENTRY), '../../..')] : [dirname(ENTRY), ...packages.flatMap(foldersOf)];
  const permission =
    PERMISSION === undefined ? [] : [PERMISSION, ...folders.map((folder) => `--allow-fs-read=${join(folder, '*')}`)];
  const command = [process.execPath, '--no-warnings', ...own, ...permission, ...flags, ENTRY, name];
  if (isReusable || process.platform === 'win32') return command;
  // Such an engine cannot stop its program: the system does it where nobody is left to kill the process.
  const seconds = Math.ceil((check.runs.length * check.limits.timeoutMs) / 1000) + START_CPU_SECONDS;
  return ['/bin/sh', '-c', 'ulimit -t "$0"; exec "$@"', String(seconds), ...command];
}

const pool = new Sandboxes();
