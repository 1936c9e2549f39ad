import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { clearAbandoned } from './commit-file.ts';
import { fileSystem, replaceFiles } from './files.ts';
import { refuseLocked, takeFolderLock } from './folder-lock.ts';

let folder: string;
let path: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'folder-lock-'));
  path = join(folder, '.lock');
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(end));
  await rm(folder, { recursive: true });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A process that tries to take the lock, prints `held` or the failure's code, and stays. */
async function startHolder(): Promise<{ child: ChildProcess; said: string }> {
  const { program, argv } = holder();
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: String(said).trim() };
}

function holder(): { readonly program: string; readonly argv: readonly string[] } {
  const text = `
    const { takeFolderLock } = await import(${JSON.stringify(import.meta.resolve('./folder-lock.ts'))});
    try { await takeFolderLock(${JSON.stringify(path)}); console.log('held'); } catch (error) { console.log(error.code); }
    setInterval(() => {}, 1000);`;
  return { program: process.execPath, argv: ['--conditions=@data-designer/source', '--input-type=module', '-e', text] };
}

function found(owner: object): Promise<void> {
  return writeFile(path, JSON.stringify(owner));
}

async function failureOf(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('the lock file exists while the lock is held', async () => {
  const lock = await takeFolderLock(path);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(await readdir(folder)).toEqual(['.lock']);
  await lock[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
});

test('claims of killed processes are removed, those of live ones stay', { tags: 'long' }, async () => {
  const { child } = await startHolder();
  const claim = await readFile(path, 'utf8');
  await end(child);
  const mine = await claimOfThis();
  const left = (digit: string) => join(folder, `.lock.${digit.repeat(8)}-1111-4111-8111-111111111111`);
  await writeFile(left('a'), claim);
  await writeFile(left('b'), mine);
  await writeFile(left('c'), '');
  await writeFile(left('d'), '');
  await utimes(left('d'), 1, 1);
  await writeFile(join(folder, '.lock.notes'), claim);
  const lock = await takeFolderLock(path);
  expect((await readdir(folder)).toSorted()).toEqual(
    ['.lock', '.lock.notes', left('b'), left('c')].map((name) => basename(name)).toSorted(),
  );
  await lock[Symbol.asyncDispose]();
});

/** The content that this process writes into a lock. */
async function claimOfThis(): Promise<string> {
  const other = join(folder, '.other');
  const lock = await takeFolderLock(other);
  const claim = await readFile(other, 'utf8');
  await lock[Symbol.asyncDispose]();
  return claim;
}

test('a second writer in the same process is rejected', async () => {
  await takeFolderLock(path);
  expect(await failureOf(takeFolderLock(path))).toMatchObject({ code: 'dataset/locked' });
  expect(await readdir(folder)).toEqual(['.lock']);
});

test('a second process is rejected with the name of the first, and takes over once the first is killed', async () => {
  const { child, said } = await startHolder();
  expect(said).toBe('held');
  const error = await failureOf(takeFolderLock(path));
  expect(isFailure(error, 'dataset/locked') && error.data.path).toBe(folder);
  expect(isFailure(error, 'dataset/locked') && error.data.owner).toContain(`process ${child.pid} on `);
  await end(child);
  await takeFolderLock(path);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
});

test.runIf(process.platform === 'linux')(
  'a zombie process holds no lock, and writes no temporary file',
  { tags: 'long' },
  async () => {
    const { program, argv } = holder();
    // The shell turns into a program that never reaps its child.
    const quoted = [program, ...argv].map((part) => `'${part.replaceAll("'", String.raw`'\''`)}'`).join(' ');
    const parent = spawn('sh', ['-c', `${quoted} & exec sleep 60`], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(parent);
    await once(parent.stdout, 'data');
    const { pid } = JSON.parse(await readFile(path, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    const left = `${path}.tmp-${pid}-0-1-${zlib.crc32(hostname()).toString(16)}`;
    await writeFile(left, 'half');
    await clearAbandoned(dirname(path));
    expect(existsSync(left)).toBe(false);
    await takeFolderLock(path);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
  },
);

test('exactly one of many processes that find a stale lock at once takes it', { tags: 'long' }, async () => {
  const dead = await startHolder();
  await end(dead.child);
  const said = await Promise.all(Array.from({ length: 6 }, async () => (await startHolder()).said));
  expect(said.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'dataset/locked'), 'held']);
  expect(await readdir(folder)).toEqual(['.lock']);
});

describe('an existing lock', () => {
  test('with our own process id but of an earlier process is stale: containers reuse process ids', async () => {
    const first = await takeFolderLock(path);
    const owner = JSON.parse(await readFile(path, 'utf8')) as object;
    await found({ ...owner, birth: 'earlier' });
    await takeFolderLock(path);
    await first[Symbol.asyncDispose]();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('that another process takes over in between is respected', async () => {
    await found({ pid: 99_999_999, host: hostname(), started: '', birth: '', token: '' });
    const living = { pid: 1, host: 'elsewhere.example', started: '2020-01-01T00:00:00.000Z', birth: '', token: '' };
    using _ = replaceFiles({
      ...fileSystem,
      link: async (from, to) => {
        await fileSystem.link(from, to);
        if (to.endsWith('.takeover')) await found(living);
      },
    });
    expect(await failureOf(takeFolderLock(path))).toMatchObject({ code: 'dataset/locked' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(living);
  });

  test('of another host is respected, and the message says how to remove it', async () => {
    await found({ pid: 1, host: 'elsewhere.example', started: '2020-01-01T00:00:00.000Z', birth: '', token: '' });
    const error = await failureOf(takeFolderLock(path));
    expect(isFailure(error, 'dataset/locked') && error.message).toContain(
      `process 1 on elsewhere.example since 2020-01-01T00:00:00.000Z (if that is long gone, delete ${path})`,
    );
  });

  test('of this process is called a run of this program', async () => {
    await using held = await takeFolderLock(path);
    expect(held).toBeDefined();
    const error = await failureOf(takeFolderLock(path));
    expect(isFailure(error, 'dataset/locked') && error.data.owner).toBe('another run of this program');
  });

  test('that cannot be read is respected', async () => {
    await writeFile(path, '{"pid":');
    expect(await failureOf(takeFolderLock(path))).toMatchObject({ code: 'dataset/locked' });
  });

  test.each(['', '\0\0\0\0', ' \n'])('without content (%j) is no lock', async (text) => {
    await writeFile(path, text);
    const before = new Date(Date.now() - 3000);
    await utimes(path, before, before);
    await refuseLocked(path);
    await using lock = await takeFolderLock(path);
    expect(await lock.isHeld()).toBe(true);
  });

  test('that another process is just writing is respected', async () => {
    await writeFile(path, '');
    const taking = failureOf(takeFolderLock(path));
    await found({ pid: 1, host: 'elsewhere.example', started: '2020-01-01T00:00:00.000Z', birth: '', token: '' });
    expect(await taking).toMatchObject({ code: 'dataset/locked' });
  });
});
