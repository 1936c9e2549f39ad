import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { type CellValue, parseJson, stringifyJson } from '@data-designer/core';
import { type Ended, failedRun, inputLines, Output, type RunProgram, tooLong, tooMuch } from '../../engine.ts';
import type { Run, RunFailure, RunLimits } from '../../run.ts';

const STACK_BYTES = 512 * 1024;

/** Prints values as Node prints simple ones, reads lines, and lets programs export in the way of CommonJS. */
const PRELUDE = `
(function (write, readLine) {
  const stringify = JSON.stringify;
  const show = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.name + ': ' + value.message;
    if (typeof value === 'object' && value !== null) { try { return stringify(value); } catch { return '[object]'; } }
    if (typeof value === 'bigint') return value + 'n';
    return String(value);
  };
  const print = (...values) => { write(values.map(show).join(' ') + '\\n'); };
  globalThis.print = print;
  globalThis.console = { log: print, info: print, debug: print, warn: print, error: print };
  globalThis.readline = readLine;
  globalThis.module = { exports: {} };
  globalThis.exports = module.exports;
})`;

/** A failure that the engine reports, with what decides on its kind. */
class Failed extends Error {
  readonly failure: RunFailure;

  constructor(failure: RunFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const PAGE_BYTES = 65_536;
/** The memory that QuickJS begins with: its build declares it. */
const OWN_PAGES = 256;

/** Its own limit of memory counts blocks and not their bytes, so that the memory of the module has a maximum. */
async function openModule(memoryBytes: number): Promise<QuickJSWASMModule> {
  const { default: variant } = await import('@jitl/quickjs-wasmfile-release-sync');
  const maximum = OWN_PAGES + Math.ceil(memoryBytes / PAGE_BYTES);
  const wasmMemory = new WebAssembly.Memory({ initial: OWN_PAGES, maximum });
  return newQuickJSWASMModuleFromVariant(newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }));
}

export function openJavaScript(): Promise<RunProgram> {
  let opened: { readonly memoryBytes: number; readonly module: Promise<QuickJSWASMModule> } | undefined;
  return Promise.resolve(async (run, limits) => {
    const { memoryBytes } = limits;
    if (opened?.memoryBytes !== memoryBytes) opened = { memoryBytes, module: openModule(memoryBytes) };
    return runProgram(await opened.module, run, limits);
  });
}

function runProgram(quickjs: QuickJSWASMModule, run: Run, limits: RunLimits): Ended {
  const output = new Output(limits.outputBytes);
  const runtime = quickjs.newRuntime();
  const program = new Program(runtime, { run, limits, output });
  try {
    const value = program.run();
    return { failure: null, output: output.text, value, memoryBytes: program.memoryBytes() };
  } catch (thrown) {
    if (!(thrown instanceof Failed)) throw thrown;
    return failedRun(thrown.failure, output.text);
  } finally {
    program.end();
  }
}

class Program {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #run: Run;
  readonly #limits: RunLimits;
  readonly #output: Output;
  readonly #deadline: number;
  readonly #handles: QuickJSHandle[] = [];

  constructor(
    runtime: QuickJSRuntime,
    { run, limits, output }: { readonly run: Run; readonly limits: RunLimits; readonly output: Output },
  ) {
    this.#runtime = runtime;
    this.#run = run;
    this.#limits = limits;
    this.#output = output;
    this.#deadline = performance.now() + limits.timeoutMs;
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(() => output.isOver || performance.now() > this.#deadline);
    this.#context = runtime.newContext();
  }

  run(): CellValue {
    // Taken before the program can replace them.
    const parse = this.#eval('JSON.parse');
    const stringify = this.#eval('JSON.stringify');
    this.#install();
    for (const script of this.#run.scripts) {
      this.#settled(this.#eval(script));
    }
    const { call } = this.#run;
    if (!call) return null;
    const context = this.#context;
    const args = call.args.map((arg) => this.#call(parse, context.newString(stringifyJson(arg))));
    const result = this.#settled(this.#call(this.#functionOf(call.name), ...args));
    const text = context.dump(this.#call(stringify, result)) as unknown;
    if (typeof text !== 'string') return null;
    if (Buffer.byteLength(text) > this.#limits.outputBytes) throw new Failed(tooMuch('the result has', this.#limits));
    return parseJson(text);
  }

  memoryBytes(): number | null {
    const usage = this.#keep(this.#runtime.computeMemoryUsage());
    const { memory_used_size: bytes } = this.#context.dump(usage) as { readonly memory_used_size?: number };
    return bytes ?? null;
  }

  /** Frees all that the run has; a runtime that ran out of memory may not be able to, which ends the process. */
  end(): void {
    for (const handle of this.#handles.toReversed()) if (handle.alive) handle.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  #install(): void {
    const context = this.#context;
    const lines = inputLines(this.#run);
    const write = context.newFunction('write', (text) => {
      this.#output.add(context.getString(text));
    });
    const readLine = context.newFunction('readline', () => {
      const line = lines.shift();
      return line === undefined ? context.null : context.newString(line);
    });
    this.#call(this.#eval(PRELUDE), this.#keep(write), this.#keep(readLine));
  }

  /** A function by its name: of the scripts, or of what they export. */
  #functionOf(name: string): QuickJSHandle {
    const named = JSON.stringify(name);
    const found = this.#eval(
      /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
        ? `typeof ${name} === 'function' ? ${name} : module.exports[${named}] ?? (typeof module.exports === 'function' ? module.exports : undefined)`
        : `module.exports[${named}]`,
    );
    if (this.#context.typeof(found) === 'function') return found;
    throw new Failed({ kind: 'exception', message: `there is no function '${name}'` });
  }

  #eval(script: string): QuickJSHandle {
    return this.#unwrap(this.#context.evalCode(script, 'program.js', { strict: false }));
  }

  #call(called: QuickJSHandle, ...args: readonly QuickJSHandle[]): QuickJSHandle {
    return this.#unwrap(this.#context.callFunction(called, this.#context.undefined, ...args));
  }

  /** The value of a promise once no job is left; any other value is settled. */
  #settled(handle: QuickJSHandle): QuickJSHandle {
    const jobs = this.#runtime.executePendingJobs();
    if (jobs.error) this.#fail(this.#keep(jobs.error));
    const state = this.#context.getPromiseState(handle);
    if (state.type === 'fulfilled') return state.notAPromise === true ? handle : this.#keep(state.value);
    if (state.type === 'rejected') return this.#fail(this.#keep(state.error));
    throw new Failed({ kind: 'exception', message: 'a promise of the program never settles' });
  }

  #unwrap(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    return result.error ? this.#fail(this.#keep(result.error)) : this.#keep(result.value);
  }

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }

  #fail(error: QuickJSHandle): never {
    if (this.#output.isOver) throw new Failed(tooMuch('it printed', this.#limits));
    if (performance.now() > this.#deadline) throw new Failed(tooLong(this.#limits));
    const thrown = this.#context.dump(error) as unknown;
    const { name, message } = Object(thrown) as { readonly name?: unknown; readonly message?: unknown };
    const text =
      typeof message === 'string' ? `${typeof name === 'string' ? name : 'Error'}: ${message}` : String(thrown);
    // Without memory for an error, QuickJS throws null or an empty one.
    const isEmpty = thrown === null || message === '';
    const isMemory =
      message === 'out of memory' || (isEmpty && (this.memoryBytes() ?? 0) > this.#limits.memoryBytes / 2);
    throw new Failed({ kind: isMemory ? 'memory' : 'exception', message: isMemory ? 'out of memory' : text });
  }
}
