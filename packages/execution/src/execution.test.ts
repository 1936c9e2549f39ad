import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_NAMES, type EngineName } from './engine-names.ts';
import { execute, type Ran, type Run } from './index.ts';

/** The time of programs that end, also on a busy machine, and of those that do not. */
const [PATIENT_MS, SHORT_MS] = [60_000, 2_000];
const LIMITS = { memoryBytes: 64_000_000, outputBytes: 10_000 };
const CANARY = 'canary-of-this-machine';
const folder = mkdtempSync(join(tmpdir(), 'execution-'));
const secret = join(folder, 'secret.txt');
const target = join(folder, 'written.txt');
let connections = 0;
const server = createServer((socket) => {
  connections++;
  socket.destroy();
});
let port: number;

beforeAll(async () => {
  writeFileSync(secret, CANARY);
  process.env['EXECUTION_CANARY'] = CANARY;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as { readonly port: number });
});

afterAll(() => {
  server.close();
  delete process.env['EXECUTION_CANARY'];
  rmSync(folder, { recursive: true });
});

/** The processes of an engine that this one has started. */
function sandboxesOf(engine: EngineName): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', `sandbox-process.* ${engine}`]);
  return (String(stdout).match(/\d+/g) ?? []).map(Number);
}

/** Kills a child, and waits until this process knows that it has ended. */
async function endProcess(pid: number): Promise<void> {
  try {
    for (process.kill(pid, 'SIGKILL'); ; await sleep(5)) process.kill(pid, 0);
  } catch {
    // It is gone.
  }
}

/** Kills the next process that starts. */
async function killNext(engine: EngineName): Promise<void> {
  const before = sandboxesOf(engine);
  for (;;) {
    const next = sandboxesOf(engine).find((pid) => !before.includes(pid));
    if (next !== undefined) return void process.kill(next, 'SIGKILL');
    await sleep(5);
  }
}

function ranWithin(timeoutMs: number, engine: EngineName, runs: readonly (Run | string)[]): Promise<readonly Ran[]> {
  return execute(engine, {
    runs: runs.map((run) => (typeof run === 'string' ? { scripts: [run] } : run)),
    limits: { ...LIMITS, timeoutMs },
  });
}

function ran(engine: EngineName, ...runs: readonly (Run | string)[]): Promise<readonly Ran[]> {
  return ranWithin(PATIENT_MS, engine, runs);
}

const kindOf = (one: Ran | undefined) => one?.failure?.kind ?? 'ended';

/** What each engine is asked: a program for each promise. */
const EXAMPLES: Readonly<
  Record<
    EngineName,
    {
      /** A run, and its output and value. */
      readonly good: readonly [run: Run, output: string, value: unknown];
      readonly wrong: readonly [program: string, message: RegExp];
      readonly endless: string;
      readonly hungry: string | undefined;
      readonly chatty: string;
      /** A program that changes what the next one sees, and one that fails where it does. */
      readonly spoils: readonly [string, string];
    }
  >
> = {
  javascript: {
    good: [
      {
        scripts: ['const twice = async (x) => { console.log(readline(), { x }); return [x, x]; }'],
        input: 'a line\n',
        call: { name: 'twice', args: ['ä'] },
      },
      'a line {"x":"ä"}\n',
      ['ä', 'ä'],
    ],
    wrong: ['null.x', /^TypeError: /],
    endless: 'for (;;) {}',
    hungry: 'const kept = []; for (;;) kept.push([kept.length]);',
    chatty: 'for (;;) console.log("x".repeat(1000));',
    spoils: [
      'Array.prototype.map = () => 1; globalThis.left = 1;',
      'if ([1].map((x) => x) === 1 || globalThis.left) throw 1;',
    ],
  },
  python: {
    good: [
      {
        scripts: ['def twice(x):\n    print(input(), {"x": x})\n    return [x, x]'],
        input: 'a line\n',
        call: { name: 'twice', args: ['ä'] },
      },
      "a line {'x': 'ä'}\n",
      ['ä', 'ä'],
    ],
    wrong: ['1 / 0', /^ZeroDivisionError: /],
    endless: 'while True: pass',
    hungry: 'kept = [bytearray(10_000_000) for _ in range(100)]',
    chatty: 'while True: print("x" * 1000)',
    spoils: ['import builtins; builtins.len = lambda _: 7', 'assert len([]) == 0'],
  },
  sqlite: {
    good: [
      {
        scripts: ['SELECT k, sum(n) AS total FROM t GROUP BY k'],
        tables: {
          t: [
            { k: "it's", n: 1 },
            { k: "it's", n: 2 },
          ],
        },
      },
      '',
      [{ k: "it's", total: 3 }],
    ],
    wrong: ['SELECT * FROM nowhere', /no such table/],
    endless: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c',
    hungry: undefined,
    chatty: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 9000) SELECT x FROM c',
    spoils: ['CREATE TABLE left_behind (a)', 'CREATE TABLE left_behind (a)'],
  },
  duckdb: {
    good: [
      {
        scripts: ['SELECT k, sum(n) AS total FROM t GROUP BY k'],
        tables: {
          t: [
            { k: "it's", n: 1 },
            { k: "it's", n: 2 },
          ],
        },
      },
      '',
      [{ k: "it's", total: 3 }],
    ],
    wrong: ['SELECT * FROM nowhere', /does not exist/],
    endless: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c',
    hungry: 'SELECT count(*) FROM (SELECT DISTINCT hash(range) FROM range(100000000))',
    chatty: 'SELECT range FROM range(100000)',
    spoils: ['CREATE TABLE left_behind (a INT)', 'CREATE TABLE left_behind (a INT)'],
  },
};

for (const engine of ENGINE_NAMES)
  test(
    `${engine} runs programs, and tells why one fails`,
    { tags: engine === 'python' ? 'long' : [], timeout: 120_000 },
    async () => {
      const { good, wrong } = EXAMPLES[engine];
      const [run, output, value] = good;
      const [first, second] = await ran(engine, run, wrong[0]);
      expect(first).toMatchObject({ failure: null, output, value });
      expect(second?.failure).toMatchObject({ kind: 'exception', message: expect.stringMatching(wrong[1]) });
    },
  );

test.each(ENGINE_NAMES)(
  '%s ends a program at its limits, and runs the next one',
  { tags: 'long', timeout: 240_000 },
  async (engine) => {
    const { good, endless, hungry, chatty } = EXAMPLES[engine];
    const [chattyRun] = await ran(engine, chatty);
    expect(kindOf(chattyRun)).toBe('output');
    const [hungryRun] = hungry === undefined ? [undefined] : await ran(engine, hungry);
    expect(['memory', ...(hungry === undefined ? ['ended'] : [])]).toContain(kindOf(hungryRun));
    const [endlessRun, ...others] = await ranWithin(SHORT_MS, engine, [endless, good[0]]);
    expect(kindOf(endlessRun)).toBe('timeout');
    // Where the process had to be killed, the runs behind it share its end.
    expect(['timeout', 'ended']).toContain(kindOf(others[0]));
    expect(kindOf((await ran(engine, good[0]))[0])).toBe('ended');
  },
);

test('a process that is killed while it starts is replaced', { tags: 'long' }, async () => {
  // Those that wait for work would be used.
  for (const pid of sandboxesOf('sqlite')) await endProcess(pid);
  const killed = killNext('sqlite');
  const running = ranWithin(PATIENT_MS, 'sqlite', ['SELECT 1 AS n']);
  await killed;
  expect(await running).toMatchObject([{ failure: null, value: [{ n: 1 }] }]);
});

test('a process that dies while it waits for work costs no program', { tags: 'long' }, async () => {
  const one = ['SELECT 1 AS n'];
  await ranWithin(PATIENT_MS, 'sqlite', one);
  const waiting = sandboxesOf('sqlite');
  expect(waiting.length).toBeGreaterThan(0);
  // This process learns of their end only after it has sent the program.
  for (const pid of waiting) process.kill(pid, 'SIGKILL');
  expect(await ranWithin(PATIENT_MS, 'sqlite', one)).toMatchObject([{ failure: null, value: [{ n: 1 }] }]);
});

test(
  'python runs coroutines, and says where they would wait for ever',
  { tags: 'long', timeout: 120_000 },
  async () => {
    const main = 'import asyncio\nasync def main():\n    await asyncio.sleep(0.01)\n    return 7\n';
    const [waits, hangs] = await ran(
      'python',
      `${main}print(asyncio.run(main()))`,
      'import asyncio\nasyncio.run(asyncio.Event().wait())',
    );
    expect(waits).toMatchObject({ failure: null, output: '7\n' });
    expect(hangs?.failure?.message).toBe('RuntimeError: every task waits for another one');
  },
);

test('sqlite tells the memory of a query, and speaks of nothing but the database', async () => {
  const count =
    'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 9000) SELECT count(DISTINCT x) FROM c';
  const [counted, ...refused] = await ran('sqlite', count, "SELECT date('now')", 'CREATE TEMP TABLE t (a)', 'BEGIN');
  expect(counted?.memoryBytes).toBeGreaterThan(100_000);
  const reasons = refused.map((one) => one.failure?.message);
  expect(reasons).toEqual([
    'it asks for the time, which differs between runs; write a date in its place',
    'temporary tables are not allowed: use plain tables',
    'transactions are not allowed: the statements are one already',
  ]);
});

test.each(ENGINE_NAMES)('%s gives each program fresh state', { tags: 'long', timeout: 120_000 }, async (engine) => {
  const [spoiling, spoiled] = EXAMPLES[engine].spoils;
  expect(kindOf((await ran(engine, spoiling))[0])).toBe('ended');
  expect(kindOf((await ran(engine, spoiled))[0])).toBe('ended');
});

/** Programs that try to reach the machine; what they find of it must not be in what they print or give. */
const HOSTILE: Readonly<Record<EngineName, () => readonly string[]>> = {
  javascript: () => [
    `console.log(typeof process, typeof require, typeof fetch, typeof WebAssembly, typeof Worker, typeof Deno)`,
    `this.constructor.constructor('return process')().env`,
    `import('node:fs').then((fs) => console.log(fs.readFileSync('${secret}', 'utf8')), (e) => { throw e; })`,
    `console.log.constructor.constructor('return globalThis')().process.exit()`,
    `readline.constructor('return process')().kill(1)`,
    `Object.defineProperty(Object.prototype, 'then', { get() { throw new Error('then'); } }); Promise.resolve({})`,
    `JSON.stringify = () => '"forged"'; JSON.parse = () => 1; function f() { return 2; }`,
    `let s = 'x'; for (;;) s += s`,
    `function f() { f(); } f()`,
    `new Array(2 ** 32 - 1).fill(0)`,
    `'x'.repeat(2 ** 29)`,
    `/(a+)+$/.test('a'.repeat(40) + 'b')`,
    `Promise.reject(new Error('late'))`,
    `(async () => { for (;;) await null; })()`,
    `throw null`,
    `throw { toString() { for (;;) {} } }`,
    `Error.prepareStackTrace = () => { for (;;) {} }; null.x`,
  ],
  python: () => [
    `import js`,
    `import pyodide_js`,
    `from pyodide.code import run_js\nprint(run_js('process.env'))`,
    `from pyodide.ffi import create_proxy`,
    `import sys\nsys.modules.pop('js', None)\nimport js\nprint(js.process.env)`,
    `import os\nprint(dict(os.environ), os.listdir('/'))\nopen('${secret}').read()`,
    `open('${target}', 'w').write('x')`,
    `import socket\ns = socket.socket()\ns.connect(('127.0.0.1', ${port}))\ns.send(b'x')`,
    `import urllib.request\nurllib.request.urlopen('http://127.0.0.1:${port}/').read()`,
    `import subprocess\nprint(subprocess.run(['env'], capture_output=True).stdout)`,
    `import os\nos.system('env')\nos.fork()`,
    `import ctypes\nctypes.string_at(0, 100)`,
    `import os\nos._exit(0)`,
    `import sys\nsys.exit(0)`,
    `import threading\nthreading.Thread(target=print).start()`,
    `def f(): f()\nf()`,
    `x = 'a' * 10**10`,
    `import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'JsProxy':\n        print(o.constructor.constructor('return process.env')())`,
  ],
  sqlite: () => [
    `ATTACH '${secret}' AS other`,
    `VACUUM INTO '${target}'`,
    `PRAGMA writable_schema = 1`,
    `SELECT load_extension('x')`,
    `SELECT readfile('${secret}')`,
    `SELECT writefile('${target}', 'x')`,
    `SELECT zeroblob(1000000000)`,
    `SELECT hex(randomblob(100000000))`,
    `SELECT printf('%.*c', 100000000, 'x')`,
    `CREATE VIRTUAL TABLE v USING csv(filename='${secret}')`,
  ],
  duckdb: () => [
    `SELECT * FROM read_text('${secret}')`,
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM read_csv('${secret}')`,
    `SELECT * FROM glob('${folder}/*')`,
    `COPY (SELECT 1) TO '${target}'`,
    `ATTACH '${target}' AS other`,
    `EXPORT DATABASE '${target}'`,
    `INSTALL httpfs`,
    `LOAD httpfs`,
    `LOAD '${secret}'`,
    `SELECT * FROM read_csv('http://127.0.0.1:${port}/x.csv')`,
    `SELECT getenv('EXECUTION_CANARY')`,
    `SET enable_external_access = true`,
    `SET lock_configuration = false`,
    `SET memory_limit = '100GB'`,
    `RESET memory_limit`,
    `SET temp_directory = '${folder}'`,
    `PRAGMA database_list; COPY (SELECT 1) TO '${target}'`,
    `CREATE SECRET s (TYPE S3)`,
    `FORCE CHECKPOINT`,
    `SELECT repeat('x', 1000000000)`,
  ],
};

test.each(ENGINE_NAMES)(
  '%s keeps hostile programs from files, network, environment and processes',
  { tags: 'long', timeout: 600_000 },
  async (engine) => {
    const programs = HOSTILE[engine]();
    const done = await Promise.all(programs.map((program) => ranWithin(SHORT_MS, engine, [program])));
    expect(done.map(({ length }) => length)).toEqual(programs.map(() => 1));
    expect(JSON.stringify(done)).not.toContain(CANARY);
    expect(existsSync(target)).toBe(false);
    expect(connections).toBe(0);
    // The engine still answers rightly.
    const [run, output, value] = EXAMPLES[engine].good;
    expect((await ran(engine, run))[0]).toMatchObject({ failure: null, output, value });
  },
);
