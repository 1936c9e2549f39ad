import { type Fields, Random } from '@data-designer/core';
import type { EngineName } from '@data-designer/execution';

/** What a hostile program is after: things of the machine that none may read, change or reach. */
interface Canaries {
  /** A file with the canary as its text. */
  readonly secret: string;
  /** A file that does not exist. */
  readonly target: string;
  /** A port on which a server listens. */
  readonly port: number;
  /** An environment variable with the canary. */
  readonly variable: string;
}

/** A program, and the family that it belongs to. */
export interface HostileProgram {
  readonly family: string;
  readonly text: string;
}

/** Attacks by family; each is a program, or for JavaScript an expression. */
type Attacks = Readonly<Record<string, readonly string[]>>;
/** Ways to write or to run the same attack. */
type Disguises = readonly ((attack: string) => string)[];

interface Arsenal {
  readonly attacks: (canaries: Canaries) => Attacks;
  readonly disguises: Disguises;
}

const quotedText = (text: string): string => JSON.stringify(text);
const escaped = (text: string): string =>
  `"${text.replaceAll(/[^]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
const joined = (text: string): string =>
  text
    .match(/.{1,7}/gs)
    ?.map(quotedText)
    .join(' + ') ?? '""';
const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

const javascript: Arsenal = {
  attacks: ({ secret, target, port, variable }) => ({
    files: [
      `require('fs').readFileSync('${secret}', 'utf8')`,
      `process.binding('fs')`,
      `require('node:fs').writeFileSync('${target}', 'x')`,
      `std.loadFile('${secret}')`,
      `std.open('${target}', 'w').puts('x')`,
      `os.readdir('/')`,
      `Deno.readTextFileSync('${secret}')`,
      `Bun.file('${secret}').text()`,
      `new Response(Bun.file('${secret}'))`,
    ],
    network: [
      `fetch('http://127.0.0.1:${port}/')`,
      `new WebSocket('ws://127.0.0.1:${port}/')`,
      `new XMLHttpRequest().open('GET', 'http://127.0.0.1:${port}/')`,
      `require('net').connect(${port})`,
      `navigator.sendBeacon('http://127.0.0.1:${port}/', 'x')`,
      `new EventSource('http://127.0.0.1:${port}/')`,
    ],
    environment: [
      `process.env.${variable}`,
      `globalThis.process.env`,
      `std.getenv('${variable}')`,
      `std.getenviron()`,
      `Deno.env.get('${variable}')`,
      `import.meta.env`,
      `scriptArgs`,
    ],
    processes: [
      `require('child_process').execSync('touch ${target}')`,
      `process.kill(process.ppid, 9)`,
      `process.exit(0)`,
      `os.exec(['touch', '${target}'])`,
      `new Worker('data:text/javascript,1')`,
      `new SharedWorker('x')`,
      `new os.Worker('x.js')`,
    ],
    memory: [
      `(() => { const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length)); })()`,
      `'x'.repeat(2 ** 29)`,
      `new Uint8Array(2 ** 31 - 1).fill(1)`,
      `new ArrayBuffer(2 ** 40)`,
      `(() => { let s = 'x'; for (;;) s += s; })()`,
      `new SharedArrayBuffer(2 ** 31)`,
      `Array.from({ length: 2 ** 32 - 1 })`,
      `(() => { const m = new Map(); for (let i = 0; ; i++) m.set({}, 'x'.repeat(1000) + i); })()`,
    ],
    loops: [
      `(() => { for (;;); })()`,
      `(() => { while (true) { try { null.x; } catch {} } })()`,
      `(async () => { for (;;) await null; })()`,
      `/(a+)+$/.test('a'.repeat(40) + 'b')`,
      `(function* () { for (;;) yield 1; })().toArray()`,
      `[1].sort(() => { for (;;); }), [3, 2, 1].sort(() => { for (;;); })`,
      `JSON.stringify({ toJSON() { for (;;); } })`,
      `(function f() { return f() + f(); })()`,
    ],
    exceptions: [
      `(() => { throw null; })()`,
      `(() => { throw { toString() { for (;;); }, get message() { for (;;); } }; })()`,
      `Promise.reject({ get then() { throw 1; } })`,
      `(() => { throw new Proxy({}, { get() { throw 1; } }); })()`,
      `(() => { throw Object.assign(new Error('x'), { stack: { toString() { for (;;); } } }); })()`,
      `(() => { throw Symbol('x'); })()`,
    ],
    prototypes: [
      `Object.defineProperty(Object.prototype, 'then', { get() { throw new Error('then'); }, configurable: true })`,
      `(Object.prototype.failure = null, Object.prototype.output = 'forged', 1)`,
      `(Array.prototype.map = Array.prototype.push = () => 7)`,
      `Object.setPrototypeOf(Object.getPrototypeOf(console.log), null)`,
      `(Function.prototype.call = Function.prototype.apply = () => 7)`,
      `Object.freeze(Object.prototype)`,
      `(String.prototype.valueOf = String.prototype.toString = () => 'forged')`,
      `({}).__proto__.__defineGetter__('message', () => 'forged')`,
    ],
    builtins: [
      `(JSON.stringify = () => '"forged"', JSON.parse = () => 1)`,
      `(globalThis.console = globalThis.print = undefined)`,
      `(Promise = class {}, Error = 1, Symbol = undefined)`,
      `delete globalThis.JSON`,
      `(globalThis.left_behind = 1)`,
      `(print = (x) => { throw x; })`,
      `(readline = () => 'forged')`,
    ],
    imports: [
      `import('node:fs').then((fs) => console.log(fs.readFileSync('${secret}', 'utf8')))`,
      `import('file://${secret}')`,
      `import('data:text/javascript,export default process.env')`,
      `import('std').then((std) => console.log(std.loadFile('${secret}')))`,
      `import('os')`,
      `import('http://127.0.0.1:${port}/x.js')`,
      `importScripts('http://127.0.0.1:${port}/x.js')`,
      `import(new Proxy({}, { get() { throw 1; } }))`,
    ],
    webassembly: [
      `new WebAssembly.Memory({ initial: 65536 })`,
      `WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
      `new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])))`,
      `Module.HEAPU8.fill(0)`,
    ],
  }),
  disguises: [
    (attack) => `console.log(${attack})`,
    (attack) => `(0, eval)(${quotedText(`console.log(${attack})`)})`,
    (attack) => `(0, eval)(${escaped(`console.log(${attack})`)})`,
    (attack) => `globalThis['ev' + 'al'](${joined(`console.log(${attack})`)})`,
    (attack) => `console.log(Function(${quotedText(`return ${attack}`)})())`,
    (attack) => `console.log(this.constructor.constructor(${joined(`return ${attack}`)})())`,
    (attack) => `console.log(console.log.constructor(${escaped(`return ${attack}`)})())`,
    (attack) => `console.log(readline.constructor.constructor(${quotedText(`return ${attack}`)})())`,
    (attack) => `Reflect.construct(Function, [${joined(`console.log(${attack})`)}])()`,
    (attack) => `(async () => {}).constructor(${quotedText(`console.log(await ${attack})`)})()`,
    (attack) => `(function* () {}).constructor(${joined(`yield console.log(${attack})`)})().next()`,
    (attack) => `Promise.resolve().then(() => console.log(${attack}))`,
    (attack) => `try { console.log(${attack}) } finally { console.log(${attack}) }`,
    (attack) => `const o = { toString() { return ${attack} } }; console.log(\`\${o}\`)`,
    (attack) => `new Proxy({}, { get() { console.log(${attack}) } }).x`,
    (attack) => `[0].forEach(() => console.log(${attack}))`,
    (attack) => `class A { static { console.log(${attack}) } }`,
    (attack) => `JSON.parse('[1]', () => console.log(${attack}))`,
    (attack) => `'x'.replace(/x/, () => console.log(${attack}))`,
    (attack) => `module.exports = () => ${attack}; console.log(module.exports())`,
  ],
};

const python: Arsenal = {
  attacks: ({ secret, target, port, variable }) => ({
    files: [
      `print(open('${secret}').read())`,
      `import os\nprint(os.listdir('/'), os.listdir('/tmp'))\nprint(os.open('${secret}', 0))`,
      `open('${target}', 'w').write('x')`,
      `import pathlib\nprint(pathlib.Path('${secret}').read_text())`,
      `import io\nprint(io.FileIO('${secret}').read())`,
      `import shutil\nshutil.copy('${secret}', '/tmp/x')\nprint(open('/tmp/x').read())`,
      `import os\nos.symlink('${secret}', '/tmp/link')\nprint(open('/tmp/link').read())`,
      `import sqlite3\nsqlite3.connect('${target}').execute('create table a (b)')`,
    ],
    network: [
      `import socket\ns = socket.create_connection(('127.0.0.1', ${port}))\ns.send(b'x')`,
      `import socket\ns = socket.socket()\ns.connect(('127.0.0.1', ${port}))\ns.send(b'x')`,
      `import urllib.request\nprint(urllib.request.urlopen('http://127.0.0.1:${port}/').read())`,
      `import http.client\nc = http.client.HTTPConnection('127.0.0.1', ${port})\nc.request('GET', '/')`,
      `import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'x', ('127.0.0.1', ${port}))`,
      `import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', ${port}))`,
      `from pyodide.http import open_url\nprint(open_url('http://127.0.0.1:${port}/').read())`,
      `import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()`,
    ],
    environment: [
      `import os\nprint(dict(os.environ), os.getenv('${variable}'))`,
      `import posix\nprint(posix.environ)`,
      `import sys\nprint(sys.argv, sys.orig_argv, sys.executable)`,
      `print(open('/proc/self/environ').read())`,
      `import sysconfig\nprint(sysconfig.get_config_vars().get('${variable}'))`,
    ],
    processes: [
      `import subprocess\nprint(subprocess.run(['touch', '${target}'], capture_output=True))`,
      `import os\nos.system('touch ${target}')`,
      `import os\nif os.fork() == 0: os.execv('/bin/touch', ['touch', '${target}'])`,
      `import os\nos.posix_spawn('/bin/touch', ['touch', '${target}'], {})`,
      `import os, signal\nos.kill(os.getppid(), signal.SIGKILL)`,
      `import os\nos._exit(0)`,
      `import os\nos.abort()`,
      `import multiprocessing\nmultiprocessing.Process(target=print).start()`,
      `import threading\nthreading.Thread(target=print).start()`,
      `import ctypes\nctypes.CDLL(None).system(b'touch ${target}')`,
    ],
    memory: [
      `kept = [bytearray(10_000_000) for _ in range(100)]`,
      `x = 'a' * 10**10`,
      `x = [0] * 10**9`,
      `x = b'a'\nwhile True: x += x`,
      `kept = {}\nfor i in range(10**8): kept[i] = str(i) * 100`,
      `import ctypes\nctypes.string_at(0, 10**8)`,
    ],
    loops: [
      `while True: pass`,
      `sum(iter(int, 1))`,
      `import re\nre.match('(a+)+$', 'a' * 40 + 'b')`,
      `x = 10 ** 10 ** 9`,
      `def f(): f()\nf()`,
      `import itertools\nfor x in itertools.count(): pass`,
      `while True:\n    try:\n        while True: pass\n    except BaseException: pass`,
      `import time\ntime.sleep(1000)`,
    ],
    exceptions: [
      `raise SystemExit(0)`,
      `raise KeyboardInterrupt`,
      `class E(Exception):\n    def __str__(self): raise E\nraise E`,
      `import sys\nsys.excepthook = lambda *a: print('forged')\nraise ValueError`,
      `raise BaseExceptionGroup('x', [SystemExit(0)])`,
      `import sys\nsys.settrace(lambda *a: 1 / 0)\nprint(1)`,
    ],
    prototypes: [
      `class M(type):\n    def __instancecheck__(c, o): return True\nclass A(metaclass=M): pass\nprint(isinstance(1, A))`,
      `for c in object.__subclasses__():\n    try: print(c, c.__init__.__globals__.get('os'))\n    except Exception: pass`,
      `print([c for c in ().__class__.__base__.__subclasses__() if 'Js' in c.__name__])`,
      `print((lambda: 0).__globals__.keys(), print.__self__)`,
    ],
    builtins: [
      `import builtins\nbuiltins.len = lambda _: 7\nbuiltins.left_behind = 1`,
      `import builtins\nbuiltins.__import__ = lambda *a: None`,
      `import sys\nsys.modules.clear()`,
      `import json\njson.dumps = lambda *a: '"forged"'`,
      `import __main__\n__main__._call = lambda *a: '"forged"'\n__main__._close = None`,
      `import sys\nsys.stdout = sys.stderr = None\nprint(1)`,
      `import gc\nfor o in gc.get_objects():\n    if type(o) is dict and '_close' in o: o.clear()`,
    ],
    imports: [
      `import importlib\nprint(importlib.import_module('js').process.env)`,
      `import sys\nfor n in ('js', 'pyodide_js', '_pyodide_core', 'pyodide'): sys.modules.pop(n, None)\nimport js\nprint(js.process.env)`,
      `import _pyodide_core\nprint(dir(_pyodide_core))`,
      `import micropip`,
      `import sys\nprint(sys.meta_path, sys.path_hooks)\nfor f in sys.meta_path: print(f.find_spec('js', None))`,
      `import importlib.machinery as m\nprint(m.BuiltinImporter.find_spec('_pyodide_core'))`,
    ],
    javascript: [
      `import js\nprint(js.process.env)`,
      `from js import fetch\nfetch('http://127.0.0.1:${port}/')`,
      `from pyodide.code import run_js\nprint(run_js('process.env'))`,
      `import pyodide_js\nprint(pyodide_js._module.ENV)`,
      `from pyodide.ffi import run_sync, create_proxy\nprint(create_proxy(1))`,
      `import gc\nfor o in gc.get_objects():\n    if type(o).__name__.startswith('Js'):\n        print(o, o.constructor.constructor('return process.env')())`,
      `import sys, gc\nfor m in gc.get_objects():\n    if type(m).__name__ == 'module' and 'pyodide' in m.__name__:\n        print(m.__name__, [getattr(m, n).__class__ for n in dir(m)])\n        print(m.run_js('process.env'))`,
      `import asyncio, time\nfor f in (asyncio.run, time.sleep, asyncio.sleep):\n    g = getattr(f, '__globals__', {})\n    print([k for k in g if 'js' in k.lower() or 'sync' in k.lower()])\n    print(g['run_sync'])`,
      `import asyncio\nl = asyncio.new_event_loop()\nprint(type(l).__mro__, type(l).__init__.__globals__.get('js'))`,
      `import sys\nf = sys._getframe()\nwhile f:\n    print(f.f_code.co_filename, list(f.f_globals)[:40])\n    if 'run_js' in f.f_globals: print(f.f_globals['run_js']('process.env'))\n    f = f.f_back`,
    ],
    webassembly: [
      `import js\njs.WebAssembly.Memory.new(1)`,
      `import ctypes\nctypes.memset(0, 0, 1000000)`,
      `import ctypes\nprint(ctypes.pythonapi.Py_Exit(0))`,
      `import ctypes\nctypes.CDLL('${secret}')`,
    ],
  }),
  disguises: [
    (attack) => attack,
    (attack) => `exec(${quotedText(attack)})`,
    (attack) => `exec(${escaped(attack)})`,
    (attack) => `getattr(__builtins__, 'ex' + 'ec', exec)(${joined(attack)})`,
    (attack) => `eval(compile(${quotedText(attack)}, '<frozen os>', 'exec'))`,
    (attack) => `class A:\n${indented(attack)}`,
    (attack) => `def a():\n${indented(attack)}\na()`,
    (attack) => `try:\n${indented(attack)}\nfinally:\n    print('done')`,
    (attack) => `import base64\nexec(base64.b64decode('${Buffer.from(attack).toString('base64')}'))`,
    (attack) =>
      `import types\ntypes.FunctionType(compile(${joined(attack)}, '', 'exec'), {'__builtins__': __builtins__})()`,
    (attack) => `import asyncio\nasync def a():\n${indented(attack)}\nasyncio.run(a())`,
    (attack) => `import atexit\ndef a():\n${indented(attack)}\natexit.register(a)\na()`,
    (attack) => `class A:\n    def __del__(self):\n        exec(${quotedText(attack)})\na = A()\ndel a`,
    (attack) => `import functools\n@functools.lru_cache\ndef a():\n${indented(attack)}\na()`,
  ],
};

const SQL_DISGUISES: Disguises = [
  (attack) => attack,
  (attack) =>
    attack
      .toUpperCase()
      .replaceAll(/'[^']*'/g, (text) => attack.match(/'[^']*'/g)?.find((one) => one.toUpperCase() === text) ?? text),
  (attack) =>
    attack
      .replaceAll(/\b\w/g, (one) => one.toUpperCase())
      .replaceAll(
        /'[^']*'/g,
        (text) => attack.match(/'[^']*'/g)?.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text,
      ),
  (attack) => attack.replaceAll(' ', '/**/ '),
  (attack) => attack.replaceAll(' ', '\n\t '),
  (attack) => `-- a comment\n${attack}`,
  (attack) => `/* ' */ ${attack} /* ; */`,
  (attack) => `SELECT 1; ${attack}`,
  (attack) => `${attack}; SELECT 1`,
  (attack) => `;;${attack};`,
  (attack) => `CREATE TABLE decoy (a INTEGER); INSERT INTO decoy VALUES (1); ${attack}`,
  (attack) => `EXPLAIN ${attack}`,
  (attack) => `CREATE VIEW decoy AS ${attack}; SELECT * FROM decoy`,
  (attack) => `CREATE TABLE decoy AS ${attack}; SELECT * FROM decoy`,
  (attack) => `WITH decoy AS (${attack}) SELECT * FROM decoy`,
  (attack) => `SELECT * FROM (${attack}) AS decoy`,
  (attack) => `PREPARE decoy AS ${attack}; EXECUTE decoy`,
  (attack) => `BEGIN; ${attack}; COMMIT`,
  (attack) => `SELECT (${attack})`,
  (attack) => `\u{feff}${attack}`,
  (attack) => `SELECT 1 UNION ALL ${attack}`,
];

const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

const sqlite: Arsenal = {
  attacks: ({ secret, target, variable }) => ({
    files: [
      `ATTACH '${secret}' AS other`,
      `ATTACH 'file:${secret}?mode=ro' AS other`,
      `ATTACH '${target}' AS other`,
      `VACUUM INTO '${target}'`,
      `SELECT readfile('${secret}')`,
      `SELECT writefile('${target}', 'x')`,
      `SELECT * FROM fsdir('/')`,
      `SELECT * FROM zipfile('${secret}')`,
      `CREATE VIRTUAL TABLE v USING csv(filename='${secret}')`,
      `CREATE VIRTUAL TABLE v USING fts3(a)`,
      `SELECT edit('x', 'cat ${secret}')`,
      `DETACH main`,
    ],
    settings: [
      `PRAGMA writable_schema = 1`,
      `PRAGMA temp_store_directory = '/tmp'`,
      `PRAGMA trusted_schema = 1`,
      `PRAGMA max_page_count = 100000000`,
      `PRAGMA database_list`,
      `PRAGMA journal_mode = WAL`,
      `SELECT * FROM pragma_database_list`,
      `SELECT * FROM pragma_compile_options`,
      `UPDATE sqlite_schema SET sql = 'x'`,
      `INSERT INTO sqlite_master VALUES ('table', 'a', 'a', 0, 'x')`,
    ],
    extensions: [
      `SELECT load_extension('${secret}')`,
      `SELECT load_extension('/lib/libc.so', 'system')`,
      `SELECT fts3_tokenizer('simple')`,
      `SELECT sqlite_log(1, 'x')`,
      `SELECT eval('SELECT 1')`,
      `SELECT getenv('${variable}')`,
      `SELECT sqlite_dbpage.data FROM sqlite_dbpage`,
    ],
    memory: [
      `SELECT zeroblob(1000000000)`,
      `SELECT hex(randomblob(100000000))`,
      `SELECT printf('%.*c', 100000000, 'x')`,
      `SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(100000)))`,
      `SELECT group_concat(printf('%.*c', 1000000, 'x')) FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)`,
      `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, hex(randomblob(100000)) FROM c ORDER BY 2`,
      `WITH RECURSIVE c(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM c) SELECT length(x) FROM c`,
    ],
    loops: [
      ENDLESS,
      `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT x FROM c`,
      `SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%b'`,
      `SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' GLOB '*a*a*a*a*a*a*a*a*a*a*a*a*a*b'`,
      `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000) SELECT count(*) FROM c a, c b, c d, c e`,
    ],
    clock: [
      `SELECT datetime('now', 'localtime')`,
      `SELECT strftime('%s', 'now')`,
      `SELECT CURRENT_TIMESTAMP`,
      `SELECT random(), hex(randomblob(4))`,
      `SELECT total_changes()`,
    ],
    builtins: [
      `CREATE TEMP TABLE left_behind (a)`,
      `CREATE TABLE left_behind (a)`,
      `CREATE TRIGGER t AFTER INSERT ON decoy BEGIN SELECT load_extension('x'); END`,
      `SAVEPOINT mark`,
      `ROLLBACK TO call`,
      `RELEASE call`,
    ],
  }),
  disguises: SQL_DISGUISES,
};

const duckdb: Arsenal = {
  attacks: ({ secret, target, port, variable }) => ({
    files: [
      `SELECT * FROM read_text('${secret}')`,
      `SELECT * FROM read_blob('${secret}')`,
      `SELECT * FROM '${secret}'`,
      `SELECT * FROM read_csv('${secret}')`,
      `SELECT * FROM read_csv_auto(['${secret}'])`,
      `SELECT * FROM sniff_csv('${secret}')`,
      `SELECT * FROM read_json('${secret}')`,
      `SELECT * FROM read_parquet('${secret}')`,
      `SELECT * FROM parquet_metadata('${secret}')`,
      `SELECT * FROM glob('/*')`,
      `FROM '${secret}'`,
      `COPY (SELECT 1) TO '${target}'`,
      `COPY (SELECT 1) TO '/dev/stdout'`,
      `ATTACH '${target}' AS other`,
      `ATTACH '${secret}' AS other (READ_ONLY)`,
      `EXPORT DATABASE '${target}'`,
      `IMPORT DATABASE '${target}'`,
      `SELECT * FROM query('FROM read_text(''${secret}'')')`,
      `SELECT * FROM query_table('${secret}')`,
    ],
    network: [
      `SELECT * FROM read_csv('http://127.0.0.1:${port}/x.csv')`,
      `SELECT * FROM 'http://127.0.0.1:${port}/x.parquet'`,
      `ATTACH 'http://127.0.0.1:${port}/x.db' AS other`,
      `SELECT * FROM read_text('s3://bucket/x')`,
      `INSTALL httpfs FROM 'http://127.0.0.1:${port}'`,
      `COPY (SELECT 1) TO 'http://127.0.0.1:${port}/x'`,
    ],
    extensions: [
      `INSTALL httpfs`,
      `FORCE INSTALL httpfs FROM community`,
      `LOAD httpfs`,
      `LOAD '${secret}'`,
      `INSTALL '${secret}'`,
      `UPDATE EXTENSIONS`,
      `CREATE SECRET s (TYPE S3)`,
      `CREATE PERSISTENT SECRET s (TYPE S3)`,
      `SELECT * FROM duckdb_secrets()`,
    ],
    environment: [
      `SELECT getenv('${variable}')`,
      `SELECT current_setting('home_directory')`,
      `SELECT * FROM duckdb_settings()`,
      `SELECT getvariable('${variable}')`,
      `SELECT * FROM pragma_user_agent()`,
    ],
    settings: [
      `SET enable_external_access = true`,
      `SET GLOBAL enable_external_access = true`,
      `RESET enable_external_access`,
      `SET lock_configuration = false`,
      `SET memory_limit = '100GB'`,
      `RESET memory_limit`,
      `SET threads = 64`,
      `SET temp_directory = '/tmp'`,
      `SET home_directory = '/tmp'`,
      `SET allowed_paths = ['${secret}']`,
      `SET allowed_directories = ['/']`,
      `PRAGMA enable_profiling = 'json'`,
      `PRAGMA profiling_output = '${target}'`,
      `SET log_query_path = '${target}'`,
      `SET extension_directory = '/tmp'`,
      `SET allow_unsigned_extensions = true`,
      `CALL enable_logging(storage_path = '${target}')`,
      `SET VARIABLE x = 1`,
    ],
    memory: [
      `SELECT repeat('x', 1000000000)`,
      `SELECT count(*) FROM (SELECT DISTINCT hash(range) FROM range(100000000))`,
      `SELECT list(range) FROM range(1000000000)`,
      `SELECT range(1000000000)`,
      `SELECT string_agg(repeat('x', 1000000)) FROM range(1000)`,
    ],
    loops: [
      ENDLESS,
      `SELECT count(*) FROM range(1000000) a, range(1000000) b`,
      `SELECT regexp_matches(repeat('a', 10000), '(a+)+$')`,
      `SELECT sum(sin(range)) FROM range(100000000000)`,
    ],
    builtins: [
      `CREATE TABLE left_behind (a INT)`,
      `CREATE TEMP TABLE left_behind (a INT)`,
      `CREATE MACRO abs(x) AS 7`,
      `CREATE SCHEMA left_behind`,
      `CREATE TYPE left_behind AS ENUM ('a')`,
      `DROP SCHEMA main CASCADE`,
      `FORCE CHECKPOINT`,
      `USE system`,
    ],
  }),
  disguises: SQL_DISGUISES,
};

const ARSENALS: Readonly<Record<EngineName, Arsenal>> = { javascript, python, sqlite, duckdb };

/** A number of different hostile programs of a language, drawn by a seed; every family occurs as often as the others. */
export function hostilePrograms(
  engine: EngineName,
  canaries: Canaries,
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly HostileProgram[] {
  const { attacks, disguises } = ARSENALS[engine];
  const random = Random.of(seed, `hostile ${engine}`).at(0);
  const families = Object.entries(attacks(canaries)).map(([family, texts]) =>
    shuffled(
      texts.flatMap((text) => disguises.map((disguise) => ({ family, text: disguise(text) }))),
      () => random.float(),
    ),
  );
  const programs: HostileProgram[] = [];
  for (let at = 0; programs.length < count && families.some((family) => at < family.length); at++) {
    for (const family of families) {
      const program = family[at];
      if (program && programs.length < count) programs.push(program);
    }
  }
  return programs;
}

function shuffled<T>(items: readonly T[], draw: () => number): readonly T[] {
  return items
    .map((item) => [draw(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}

/** For each language a program that leaves something behind, and one that fails where it still is. */
export const SPOILERS: Readonly<Record<EngineName, readonly (readonly [string, string])[]>> = {
  javascript: [
    ['Array.prototype.map = () => 1', 'if ([1].map((x) => x) === 1) throw 1'],
    ['globalThis.left = 1; var other = 2', 'if (typeof left !== "undefined" || typeof other !== "undefined") throw 1'],
    ['JSON.stringify = () => "forged"', 'if (JSON.stringify(1) !== "1") throw 1'],
    ['Object.prototype.left = 1', 'if (({}).left) throw 1'],
    [
      'module.exports.left = 1; console.log = 1',
      'if (module.exports.left || typeof console.log !== "function") throw 1',
    ],
  ],
  python: [
    ['import builtins; builtins.len = lambda _: 7', 'assert len([]) == 0'],
    ['import sys; sys.modules["json"] = 1; left = 1', 'import json; json.dumps; assert "left" not in globals()'],
    ['open("/tmp/left", "w").write("x")', 'import os; assert not os.path.exists("/tmp/left")'],
    ['import os; os.environ["LEFT"] = "x"; os.chdir("/")', 'import os; assert "LEFT" not in os.environ'],
  ],
  sqlite: [
    ['CREATE TABLE left_behind (a)', 'CREATE TABLE left_behind (a)'],
    ['CREATE VIEW left_behind AS SELECT 1', 'CREATE TABLE left_behind (a)'],
  ],
  duckdb: [
    ['CREATE TABLE left_behind (a INT)', 'CREATE TABLE left_behind (a INT)'],
    ['CREATE MACRO left_behind(x) AS 7', 'CREATE MACRO left_behind(x) AS 8'],
    ['CREATE SCHEMA left_behind', 'CREATE SCHEMA left_behind'],
  ],
};

/** For each language a program that never ends, also where no interpreter looks for a signal. */
export const ENDLESS_PROGRAMS: Readonly<Record<EngineName, string>> = {
  javascript: 'for (;;) {}',
  python: 'sum(iter(int, 1))',
  sqlite: ENDLESS,
  duckdb: 'SELECT sum(sin(range)) FROM range(100000000000)',
};

/** For each language a program that prints or gives its input: the canary in it must be found. */
export const CONTROLS: Readonly<
  Record<EngineName, (canary: string) => Fields & { readonly scripts: readonly string[] }>
> = {
  javascript: (canary) => ({ scripts: ['console.log(readline())'], input: canary }),
  python: (canary) => ({ scripts: ['print(input())'], input: canary }),
  sqlite: (canary) => ({ scripts: [`SELECT '${canary}' AS found`] }),
  duckdb: (canary) => ({ scripts: [`SELECT '${canary}' AS found`] }),
};
