import { spawn } from 'node:child_process';
import { globSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { readPage } from './markdown.ts';
import { npm, runProgram } from './npm.ts';

// Builds the route of docs/guide/bundlers.md with Next.js and calls it: `npm run try:next`. It is no part of the tests, for
// Next.js takes 320 MB and a minute of computing time.

const PACKAGES = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];
const NEXT = join('node_modules', 'next', 'dist', 'bin', 'next');
const SETTINGS = 'next.config.mjs';

process.env['NEXT_TELEMETRY_DISABLED'] = '1';

const [tarball] = globSync('artifacts/data-designer-*.tgz');
if (tarball === undefined) throw new Error('npm run pack has left no tarball in artifacts');
const { fences } = readPage('docs/guide/bundlers.md');
const folder = await mkdtemp(join(tmpdir(), 'try-next-'));
const project = join(folder, 'project');

/** Writes the block of the guide that names a file, and gives the file's path. */
function writeBlock(name: string, target = name): void {
  const block = fences.find(({ code }) => code.startsWith(`// ${name}\n`));
  if (!block) throw new Error(`the guide has no block for ${name}`);
  mkdirSync(dirname(join(project, target)), { recursive: true });
  writeFileSync(join(project, target), block.code);
}

async function build(...flags: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(process.execPath, [NEXT, 'build', ...flags], { cwd: project });
  process.stdout.write(`${stdout}${stderr}`);
  if (code !== 0) throw new Error(`next build ${flags.join(' ')} ended with code ${code}`);
}

/** Starts a server, calls the route, prints the answer and stops the server. */
async function call(cwd: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, PORT: '0', HOSTNAME: '127.0.0.1' };
  const server = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const port = /Local: +http:\/\/[^:]+:(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      const response = await fetch(`http://127.0.0.1:${port}/api/facts`);
      const text = await response.text();
      const records = response.ok ? (JSON.parse(text) as { topic: string; fact: string }[]) : [];
      if (records.length !== 2 || !records.every(({ topic, fact }) => fact.includes(topic))) throw new Error(text);
      process.stdout.write(`${text}\n`);
      return;
    }
    throw new Error('the server ended before it was called');
  } finally {
    server.kill();
  }
}

try {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  await npm(['install', '--ignore-scripts', ...PACKAGES, resolve(tarball)], { cwd: project });
  // As JavaScript: for a route in TypeScript Next.js would install the compiler.
  writeBlock('app/api/facts/route.ts', 'app/api/facts/route.js');
  for (const bundler of ['--turbopack', '--webpack']) {
    await build(bundler);
    await call(project, [NEXT, 'start', '--port', '0', '--hostname', '127.0.0.1']);
  }
  writeBlock(SETTINGS);
  await build();
  // Elsewhere, where no folder above has the packages.
  const standalone = join(folder, 'standalone');
  renameSync(join(project, '.next', 'standalone'), standalone);
  await call(standalone, ['server.js']);
} finally {
  await rm(folder, { recursive: true, force: true });
}
