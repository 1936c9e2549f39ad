import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, until } from '../test/providers.ts';
import { temporaryFolder } from '@data-designer/testing/temporary-folder';
import { inRowFolder, namesRowFolder } from './in-row-folder.ts';
import type { StdioToolProvider } from './provider.ts';
import { filesIn, writeFiles } from './row-files.ts';
import { RowServers } from './row-servers.ts';

const PROGRAM = fileURLToPath(new URL('../../../test/row-server.ts', import.meta.url));

let temporary: ReturnType<typeof temporaryFolder>;
let parent: string;
let notes: string;

beforeEach(() => {
  temporary = temporaryFolder('row-servers-');
  parent = temporary.path;
  notes = join(parent, 'notes');
  writeFileSync(notes, '');
});
afterEach(() => temporary[Symbol.dispose]());

function provider(more: Partial<StdioToolProvider> = {}): StdioToolProvider {
  const args = [PROGRAM, '{{ row_dir }}', notes];
  return { name: 'counting', providerType: 'stdio', command: process.execPath, args, env: {}, ...more };
}

function open(of: StdioToolProvider = provider()): RowServers {
  return new RowServers(new Map([['tools/count', { provider: of, name: 'count' }]]), { redact: (value) => value });
}

const START = { do: 'start', resource: 'tools/count', files: { 'start.txt': 'here' } } as const;
const add = (by: number) =>
  ({ do: 'call', body: JSON.stringify({ name: 'add', arguments: { by } }), timeoutMs: 9_000 }) as const;

test('the place of the folder is filled in arguments and variables', () => {
  const of = provider({ args: ['--root={{row_dir}}', '{{  row_dir  }}/a', '$&'], env: { AT: '{{ row_dir }}' } });
  const filled = inRowFolder(of, '/tmp/$&');
  expect(filled.args).toEqual(['--root=/tmp/$&', '/tmp/$&/a', '$&']);
  expect(filled.env).toEqual({ AT: '/tmp/$&' });
  expect(['{{ row_dir }}', 'x{{row_dir}}y', '{{ row }}', 'row_dir'].map(namesRowFolder)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('rows have servers of their own, which end with their rows', async () => {
  await using servers = open();
  const group = servers.ofGroup('home');
  const [one, other] = [
    { server: 1, row: 1 },
    { server: 2, row: 2 },
  ];
  await group.serve(one, START);
  await group.serve(other, START);
  await group.serve(one, add(5));
  const { body } = (await group.serve(other, add(1))) as { body: string };
  expect(body).toContain('\\"count\\":1,');
  expect(await group.serve(one, { do: 'files' })).toEqual({ 'start.txt': 'here' });
  const [root = ''] = readdirSync(parent).filter((name) => name.startsWith('data-designer-rows-'));
  expect(readdirSync(join(parent, root)).filter((name) => !name.startsWith('.'))).toEqual(['1-count', '2-count']);
  await group.endRow(1);
  expect(readdirSync(join(parent, root)).filter((name) => !name.startsWith('.'))).toEqual(['2-count']);
  await expect(group.serve(one, add(5))).rejects.toMatchObject({ code: 'run/aborted' });
  await group.end();
  await expect(group.serve({ server: 3, row: 3 }, START)).rejects.toMatchObject({ code: 'run/aborted' });
});

test('a row has ended once the servers that left before it have ended', async () => {
  await using servers = open();
  const group = servers.ofGroup('home');
  await group.serve({ server: 1, row: 1 }, START);
  await group.serve({ server: 1, row: 1 }, add(5));
  const pid = Number(/^(\d+) start$/m.exec(readFileSync(notes, 'utf8'))?.[1]);
  expect(isAlive(pid)).toBe(true);
  const stopped = group.serve({ server: 1, row: 1 }, { do: 'stop' });
  await group.endRow(1);
  expect(isAlive(pid)).toBe(false);
  await stopped;
});

test('a second server of a row takes the place of the first', async () => {
  await using servers = open();
  const group = servers.ofGroup('home');
  await group.serve({ server: 1, row: 1 }, START);
  await group.serve({ server: 1, row: 1 }, add(5));
  await group.serve({ server: 2, row: 1 }, START);
  const { body } = (await group.serve({ server: 2, row: 1 }, add(1))) as { body: string };
  expect(body).toContain('\\"count\\":1,');
  await expect(group.serve({ server: 1, row: 1 }, add(5))).rejects.toMatchObject({ code: 'run/aborted' });
});

test('one server lists the tools for all, with the prefix of the provider, and ends', async () => {
  await using servers = open(provider({ toolPrefix: 'my' }));
  const [listed, again] = await Promise.all([servers.listTools('tools/count'), servers.listTools('tools/count')]);
  expect(listed).toBe(again);
  expect(listed.map(({ function: { name }, prefix }) => [prefix, name])).toContainEqual(['my', 'add']);
  expect([servers.has('tools/count'), servers.has('tools/other')]).toEqual([true, false]);
  const pid = Number(execFileSync('head', ['-1', notes], { encoding: 'utf8' }).split(' ')[0]);
  await until(() => !isAlive(pid));
});

test('only a process can belong to a row', async () => {
  const remote = { name: 'far', providerType: 'streamable_http', endpoint: 'http://127.0.0.1:9' } as const;
  await using servers = new RowServers(new Map([['tools/far', { provider: remote, name: 'far' }]]), {
    redact: (value) => value,
  });
  await expect(servers.listTools('tools/far')).rejects.toMatchObject({
    code: 'tool/unavailable',
    message: expect.stringContaining('only a server that is started as a child process') as string,
  });
});

test('a folder that cannot be written is named', async () => {
  await using servers = open();
  const group = servers.ofGroup('home');
  const start = { ...START, files: { a: 'file', 'a/b': 'in no folder' } };
  await expect(group.serve({ server: 1, row: 1 }, start)).rejects.toMatchObject({
    code: 'tool/unavailable',
    message: expect.stringContaining('its folder cannot be written') as string,
  });
});

test('the end of a run ends all servers, and leaves nothing', async () => {
  const servers = open();
  const group = servers.ofGroup('home');
  await group.serve({ server: 1, row: 1 }, START);
  await group.serve({ server: 1, row: 1 }, add(5));
  await servers[Symbol.asyncDispose]();
  expect(readdirSync(parent)).toEqual(['notes']);
});

test('the files of a folder are texts, hashes and links', async () => {
  const folder = join(parent, 'files');
  mkdirSync(folder);
  await writeFiles(folder, { 'z.txt': 'ünï', 'a/b/c.txt': '' });
  const outside = join(parent, 'secret');
  mkdirSync(outside);
  writeFileSync(join(outside, 'key'), 'secret');
  symlinkSync(outside, join(folder, 'out'));
  symlinkSync(join(outside, 'key'), join(folder, 'key'));
  symlinkSync('/nowhere', join(folder, 'broken'));
  writeFileSync(join(folder, 'bytes'), Buffer.from([0xff, 0xfe]));
  writeFileSync(join(folder, 'long'), 'x'.repeat(256 * 1024 + 1));
  writeFileSync(join(folder, 'huge'), '');
  truncateSync(join(folder, 'huge'), 64 * 1024 * 1024 + 1);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const files = await filesIn(folder);
  expect(files).toEqual({
    'a/b/c.txt': '',
    broken: { link: '/nowhere' },
    bytes: { bytes: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    huge: { bytes: 64 * 1024 * 1024 + 1 },
    key: { link: join(outside, 'key') },
    long: { bytes: 256 * 1024 + 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    out: { link: outside },
    'z.txt': 'ünï',
  });
  expect(Object.keys(files)).toEqual(Object.keys(files).toSorted());
});

test('a folder shows so much text in all, and has so many files at most', { tags: 'long' }, async () => {
  const folder = join(parent, 'files');
  mkdirSync(folder);
  const text = 'x'.repeat(250 * 1024);
  await writeFiles(folder, Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at + 10}`, text])));
  const shown = Object.values(await filesIn(folder));
  expect(shown.filter((file) => file === text)).toHaveLength(16);
  for (let at = 0; at < 10_000; at++) writeFileSync(join(folder, `g${at}`), '');
  await expect(filesIn(folder)).rejects.toThrow('its folder holds more than 10000 files');
});

test('files are not written over others', async () => {
  const folder = join(parent, 'files');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a'), 'old');
  await expect(writeFiles(folder, { a: 'new' })).rejects.toThrow('EEXIST');
  chmodSync(folder, 0o700);
  expect(existsSync(join(folder, 'a'))).toBe(true);
});
