import { constants } from 'node:fs';
import net from 'node:net';
import { type CellValue, messageOf, parseJson, stringifyJson } from '@data-designer/core';
import { type Ended, failedRun, inputLines, isTooLarge, Output, type RunProgram, tooMuch } from '../../engine.ts';
import type { Run, RunLimits } from '../../run.ts';

type Pyodide = Awaited<ReturnType<(typeof import('pyodide'))['loadPyodide']>>;

/** What the module `js` has: its interpreter needs the timers, and nothing else of JavaScript is there. */
const JS_GLOBALS = Object.assign(Object.create(null) as object, {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  Object,
});

const SETTINGS = { jsglobals: JS_GLOBALS, env: { HOME: '/home/pyodide', PYTHONHASHSEED: '0' } };

/** The memory of an interpreter that has started: to load it takes an eighth of the time of a start. */
export async function preparePython(): Promise<Uint8Array> {
  closeNetwork();
  const { loadPyodide } = await import('pyodide');
  const python = await loadPyodide({ ...SETTINGS, _makeSnapshot: true });
  python.runPython(`${PRELUDE}\nfor _name in '${MODULES}'.split(): __import__(_name)`);
  return python.makeMemorySnapshot();
}

export async function openPython(prepared: Uint8Array): Promise<RunProgram> {
  closeNetwork();
  const { loadPyodide } = await import('pyodide');
  const python = await loadPyodide({ ...SETTINGS, _loadSnapshot: prepared });
  python.runPython('_close()');
  return (run, limits) => Promise.resolve(runProgram(python, run, limits));
}

function refuse(): never {
  throw new Error('there is no network');
}

/** Pyodide asks for the constants of Node's file system by an interface that the permission model refuses. */
function closeNetwork(): void {
  Object.defineProperty(process, 'binding', { value: () => ({ fs: constants }) });
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'BroadcastChannel'])
    Reflect.deleteProperty(globalThis, name);
}

/** Modules that programs often import: an import takes up to a tenth of a second. */
const MODULES =
  'abc bisect collections contextlib copy dataclasses datetime decimal enum fractions functools heapq io itertools math operator random re string textwrap typing unittest';

/**
 * Keeps what a call needs from the program, and takes the modules that reach JavaScript from it. The loop of asyncio waits
 * by itself: that of Pyodide needs a JavaScript that calls it.
 */
const PRELUDE = `
import asyncio as _asyncio, json as _json, sys as _sys, time as _time

def _call(function, args, dumps=_json.dumps, loads=_json.loads):
    return dumps(function(*loads(args)))

class _Selector:
    def select(self, timeout):
        if timeout is None:
            raise RuntimeError('every task waits for another one')
        if timeout > 0:
            _time.sleep(timeout)
        return []

class _Loop(_asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Selector()
    def _process_events(self, events):
        pass
    def _write_to_self(self):
        pass

class _Policy(_asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = _Loop

def _close():
    for name in [n for n in _sys.modules if n == 'js' or n.split('.')[0] in ('pyodide_js', 'pyodide', '_pyodide', '_pyodide_core')]:
        _sys.modules[name] = None
    _sys.meta_path[:] = [f for f in _sys.meta_path if 'JsFinder' not in type(f).__name__]
    _asyncio.run = getattr(_asyncio.run, '__wrapped__', _asyncio.run)
    _time.sleep = getattr(_time.sleep, '__wrapped__', _time.sleep)
    _asyncio._set_running_loop(None)
    _asyncio.events._event_loop_policy = _Policy()
`;

const PAGE_BYTES = 65_536;

function runProgram(python: Pyodide, run: Run, limits: RunLimits): Ended {
  const output = new Output(limits.outputBytes);
  const over = new Error('too much output');
  const print = (bytes: Uint8Array): number => {
    if (!output.add(decoder.decode(bytes, { stream: true }))) throw over;
    return bytes.length;
  };
  const decoder = new TextDecoder();
  python.setStdout({ write: print });
  python.setStderr({ write: print });
  const lines = inputLines(run);
  python.setStdin({ stdin: () => lines.shift() ?? null });
  limitMemory(limits.memoryBytes);
  const { length: before } = heapOf(python);
  const globals = python.toPy({ __name__: '__main__' });
  try {
    for (const script of run.scripts) python.runPython(script, { globals, filename: 'program.py' });
    const value = run.call ? called(python, run.call, globals) : null;
    if (isTooLarge(value, limits)) return failedRun(tooMuch('the result has', limits), output.text);
    return { failure: null, output: output.text, value, memoryBytes: heapOf(python).length };
  } catch (thrown) {
    const message = messageOf(thrown).trim().split('\n').at(-1) ?? '';
    const isMemory = /^MemoryError\b/.test(message) || heapOf(python).length - before > limits.memoryBytes;
    if (output.isOver) return failedRun(tooMuch('it printed', limits), output.text);
    return failedRun({ kind: isMemory ? 'memory' : 'exception', message }, output.text);
  }
}

function called(python: Pyodide, { name, args }: NonNullable<Run['call']>, globals: unknown): CellValue {
  const found = (globals as { get: (name: string) => unknown }).get(name);
  if (typeof found !== 'function') throw new Error(`NameError: there is no function '${name}'`);
  const call = python.globals.get('_call') as (called: unknown, args: string) => string;
  return parseJson(call(found, stringifyJson([...args])));
}

function heapOf(python: Pyodide): Uint8Array {
  // oxlint-disable-next-line no-underscore-dangle -- Pyodide names it so, and has no other way to its memory
  return (python as unknown as { readonly _module: { readonly HEAPU8: Uint8Array } })._module.HEAPU8;
}

// oxlint-disable-next-line typescript/unbound-method -- it is called with its memory
const { grow } = WebAssembly.Memory.prototype;

/** Refuses the growth of memory beyond what a run may add. */
function limitMemory(bytes: number): void {
  let left = Math.ceil(bytes / PAGE_BYTES);
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (pages > left) throw new RangeError('the memory of the program is limited');
    left -= pages;
    return grow.call(this, pages);
  };
}
