import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ChatCompletion } from './openai/completion-body.ts';
import { simulatorProgram } from './programs.ts';
import { startSimulator } from './start-simulator.ts';

const PROGRAM = ['--conditions=@data-designer/source', fileURLToPath(simulatorProgram)];

function start(...flags: string[]) {
  return spawn(process.execPath, [...PROGRAM, ...flags], { stdio: ['pipe', 'pipe', 'pipe'] });
}

async function ready(child: { stdout: Readable }): Promise<{ port: number; url: string }> {
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return JSON.parse(line.toString()) as { port: number; url: string };
}

async function end(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { code, signal };
}

test('prints one line with its port and address when it listens', async () => {
  const child = start();
  const printed = text(child.stdout);
  const { port, url } = await ready(child);
  expect(url).toBe(`http://127.0.0.1:${port}/v1`);
  expect((await fetch(`${url}/models`)).status).toBe(200);
  child.kill('SIGTERM');
  await end(child);
  expect((await printed).trim()).toBe(JSON.stringify({ port, url }));
});

test('reports in one line that its port is in use, and ends with code 1', { tags: 'long' }, async () => {
  await using running = await startSimulator();
  const { port } = new URL(running.url);
  const child = start('--port', port);
  const [said, { code }] = await Promise.all([text(child.stderr), end(child)]);
  expect(code).toBe(1);
  expect(said).toBe(`simulator: Port ${port} is in use. Choose another with --port, or 0 for any free one.\n`);
});

test.each([
  [['--latency', 'soon'], "--latency cannot be 'soon'"],
  [['--port', '99999'], "--port cannot be '99999'"],
  [['--faults', 'typhoon=0.1'], "--faults cannot be 'typhoon=0.1'"],
  [['--faults', 'reset=0.7,hang=0.7'], "--faults cannot be 'reset=0.7,hang=0.7'"],
  [['--retry-after', 'later'], "--retry-after cannot be 'later'"],
  [['--sneed', '1'], "Unknown option '--sneed'"],
])('refuses the flags %j with code 2', { tags: 'long' }, async (flags, reason) => {
  const child = start(...flags);
  const [said, { code }] = await Promise.all([text(child.stderr), end(child)]);
  expect(code).toBe(2);
  expect(said).toContain(reason);
});

test('prints its flags with --help', async () => {
  const child = start('--help');
  const [said, { code }] = await Promise.all([text(child.stdout), end(child)]);
  expect(code).toBe(0);
  expect(said).toContain('--faults LIST');
});

test.each(['SIGTERM', 'SIGINT'] as const)('ends on %s although a request hangs', { tags: 'long' }, async (signal) => {
  const child = start();
  const { url } = await ready(child);
  const body = JSON.stringify({ model: 'sim-hang', messages: [{ role: 'user', content: 'Hello' }] });
  const hanging = fetch(`${url}/chat/completions`, { method: 'POST', body }).catch(() => 'cut off');
  await arrived(url);
  child.kill(signal);
  expect((await end(child)).code).toBe(0);
  expect(await hanging).toBe('cut off');
});

test('ends with its standard input under --end-with-stdin', { tags: 'long' }, async () => {
  const child = start('--end-with-stdin');
  await ready(child);
  child.stdin.end();
  expect((await end(child)).code).toBe(0);
});

test(
  '--output-tokens sets the length of answers, and --tokens-per-second their latency',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator('--output-tokens', '300', '--tokens-per-second', '3000');
    const ask = { model: 'sim-small', messages: [{ role: 'user', content: 'Describe bicycles.' }] };
    const lengths = [ask, { ...ask, max_tokens: 40 }].map(async (body) => {
      const { usage, choices } = (await (await simulator.post(body)).json()) as ChatCompletion;
      return [usage.completion_tokens, choices[0].finish_reason];
    });
    expect(await Promise.all(lengths)).toEqual([
      [300, 'stop'],
      [40, 'stop'],
    ]);
    expect((await simulator.stats()).latencyMs.max).toBe(100);
  },
);

test('ends when the run that started it is killed', { tags: 'long' }, async () => {
  const run = `
    const child = require('node:child_process').spawn(process.execPath, ${JSON.stringify([...PROGRAM, '--end-with-stdin'])},
      { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.pipe(process.stdout);
  `;
  const runner = spawn(process.execPath, ['--eval', run], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { url } = await ready(runner);
  expect((await fetch(`${url}/models`)).status).toBe(200);
  const printedToEnd = text(runner.stdout);
  runner.kill('SIGKILL');
  await end(runner);
  await printedToEnd;
  await gone(url);
});

/** Waits until the server has a request in flight. */
async function arrived(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const stats = (await (await fetch(new URL('/stats', url))).json()) as { inFlight: number };
    if (stats.inFlight > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('No request arrived.');
}

/** Waits until nothing listens any more. */
async function gone(url: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (!answered) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The server still listens.');
}
