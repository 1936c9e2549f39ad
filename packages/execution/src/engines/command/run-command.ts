import { type ChildProcess, spawn } from 'node:child_process';
import { type CellValue, isFields, messageOf, parseJson, stringifyJson, tryParse } from '@data-designer/core';
import { type Ended, failedRun, isTooLarge, type RunProgram, tooLong, tooMuch } from '../../engine.ts';
import type { Run, RunLimits } from '../../run.ts';

const WINDOWS = process.platform === 'win32';
/** JSON writes a character with up to six bytes, and a report has more than the output. */
const [BYTES_PER_CHARACTER, REPORT_BYTES] = [6, 65_536];
/** The end of what a command writes to its error stream, for messages. */
const SHOWN_ERROR = 300;

export function openCommand(): Promise<RunProgram> {
  return Promise.resolve((run, limits) => new CommandRun(run, limits).ended);
}

/** The processes of runs that have not ended; this process takes them with it. */
const running = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of running) endGroup(child);
};
process.on('exit', endAll);
process.stdin.on('end', endAll);

/** Ends a process with all that it started. */
function endGroup(child: ChildProcess): void {
  try {
    if (WINDOWS) child.kill('SIGKILL');
    else if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

class CommandRun {
  readonly ended: Promise<Ended>;
  readonly #limits: RunLimits;
  #output = '';
  #error = '';

  constructor(run: Run, limits: RunLimits) {
    this.#limits = limits;
    this.ended = this.#start(run);
  }

  #start(run: Run): Promise<Ended> {
    const { command } = run;
    if (!command) return Promise.resolve(failedRun({ kind: 'unusable', message: 'no command is named' }));
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const { program, args, env, cwd } = command;
    // In a group of its own: what it starts ends with it.
    const child = spawn(program, args, {
      env,
      ...(cwd !== undefined && { cwd }),
      detached: !WINDOWS,
      windowsHide: true,
    });
    running.add(child);
    const end = (ended: Ended): void => {
      clearTimeout(timer);
      endGroup(child);
      running.delete(child);
      resolve(ended);
    };
    const timer = setTimeout(() => end(failedRun(tooLong(this.#limits))), this.#limits.timeoutMs);
    child.once('error', (thrown) => end(failedRun({ kind: 'unusable', message: messageOf(thrown) })));
    child.once('close', (code, signal) =>
      end(this.#endedWith(code === null ? `by ${signal}` : `with code ${code}`, code)),
    );
    const most = this.#limits.outputBytes * BYTES_PER_CHARACTER + REPORT_BYTES;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      if (this.#output.length > most) end(failedRun(tooMuch('it printed', this.#limits)));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#error = (this.#error + text).slice(-SHOWN_ERROR);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(`${requestOf(run, this.#limits)}\n`);
    return promise;
  }

  #endedWith(how: string, code: number | null): Ended {
    const report = tryParse(this.#output, parseJson);
    if (code !== 0 || report === undefined || !isFields(report)) {
      const what = code === 0 ? 'it wrote no report' : `it ended ${how}`;
      const said = this.#error.trim();
      return failedRun({ kind: 'sandbox', message: said === '' ? what : `${what}: ${said}` });
    }
    const { output = '', value = null, error = null, memory_bytes: memory = null } = report as Report;
    const text = typeof output === 'string' ? output : stringifyJson(output);
    const memoryBytes = typeof memory === 'number' ? memory : null;
    if (Buffer.byteLength(text) > this.#limits.outputBytes) return failedRun(tooMuch('it printed', this.#limits));
    if (isTooLarge(value, this.#limits)) return failedRun(tooMuch('the result has', this.#limits), text);
    if (error === null) return { failure: null, output: text, value, memoryBytes };
    const message = typeof error === 'string' ? error : stringifyJson(error);
    return { ...failedRun({ kind: 'exception', message }, text), memoryBytes };
  }
}

/** What a command writes; every key may be absent. */
interface Report {
  readonly output?: CellValue;
  readonly value?: CellValue;
  readonly error?: CellValue;
  readonly memory_bytes?: CellValue;
}

/** What a command reads: one object on one line. */
function requestOf({ command, scripts, input, call, tables }: Run, limits: RunLimits): string {
  return stringifyJson({
    language: command?.language ?? '',
    scripts: [...scripts],
    input: input ?? '',
    call: call ? { name: call.name, args: [...call.args] } : null,
    tables: Object.fromEntries(Object.entries(tables ?? {}).map(([name, rows]) => [name, [...rows]])),
    limits: {
      seconds: limits.timeoutMs / 1000,
      memory_bytes: limits.memoryBytes,
      output_bytes: limits.outputBytes,
    },
  });
}
