import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What Jinja2 makes of a template: its output, or the Python exception. */
export type JinjaAnswer = { readonly output: string } | { readonly error: string; readonly message: string };

/** Jinja2 in a Python process, which answers one question after the other. */
export interface Jinja extends AsyncDisposable {
  /** Renders a template for a record, which is given as one line of JSON. */
  readonly render: (template: string, record: string) => Promise<JinjaAnswer>;
}

const PROGRAM = fileURLToPath(new URL('./jinja.py', import.meta.url));

/** The version of the Jinja2 that Python has here, or undefined where it has none. */
export function jinjaVersion(): string | undefined {
  const { status, stdout } = spawnSync('python3', ['-c', 'import jinja2; print(jinja2.__version__)'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Starts Python; the process is ended when the result is disposed of. */
export function openJinja(): Jinja {
  const child = spawn('python3', ['-W', 'ignore', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const render = async (template: string, record: string): Promise<JinjaAnswer> => {
    // The record goes as it is written, so that 1.0 stays a float in Python.
    child.stdin.write(`{"template": ${JSON.stringify(template)}, "record": ${record}}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the Python process of Jinja2 has ended');
    const answer: JinjaAnswer = JSON.parse(value);
    return answer;
  };
  return { render, [Symbol.asyncDispose]: () => close(child) };
}

async function close(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin?.end();
  await ended;
}
