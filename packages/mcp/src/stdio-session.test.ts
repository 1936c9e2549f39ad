import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventFile } from '../test/event-file.ts';
import { isAlive, stdioServer, until } from '../test/providers.ts';
import { openSession } from './session-slot.ts';

const limits = { timeoutMs: 60_000 };

test('lists every page, and gives a tool without an input schema an empty one', { tags: 'long' }, async () => {
  await using session = await openSession(stdioServer('raw', ['pages']));
  const { schemas: tools } = await session.listTools();
  expect(tools.map((tool) => tool.function)).toEqual([
    { name: 'one', description: '', parameters: { type: 'object', properties: {} } },
    { name: 'two', description: 'Second.', parameters: { type: 'object', properties: { a: {} } } },
    { name: 'three', description: '', parameters: { type: 'object', properties: {} } },
  ]);
});

test.each([
  ['loop', "its list of tools does not end: it repeats the cursor 'same'"],
  ['nothing', 'its answer to tools/list contains no tools'],
  ['endless', 'its list of tools has more than 1000 pages'],
])('rejects a listing in mode %s', { tags: 'long' }, async (mode, reason) => {
  await using session = await openSession(stdioServer('raw', [mode]));
  await expect(session.listTools()).rejects.toMatchObject({
    code: 'tool/unavailable',
    data: { provider: 'local', reason },
  });
});

test(
  'a tool without a name and one whose schema is too deep are left out, and number cursors are sent back',
  { tags: 'long' },
  async () => {
    await using session = await openSession(stdioServer('raw', ['partly']));
    const { schemas } = await session.listTools();
    expect(schemas.map(({ function: { name }, sent }) => [name, sent])).toEqual([
      ['one', undefined],
      ['two', undefined],
      ['(a tool without a name)', { dropped: 'nobody can call it' }],
      ['deep', { dropped: 'its schema is nested in more than 500 levels' }],
      ['three', undefined],
    ]);
  },
);

test('what a server sends besides answers explains calls that no answer ends', async () => {
  await using session = await openSession(stdioServer('raw', ['mixed']));
  const short = { timeoutMs: 150 };
  const said = 'the last text that it sent is no answer to a request:';
  expect(await session.callTool('stray', {}, short)).toMatchObject({
    reason: `no answer within 150 ms; ${said} { pretty`,
  });
  expect(await session.callTool('other', {}, short)).toMatchObject({
    reason: `no answer within 150 ms; ${said} {"jsonrpc":"2.0","id":777,"result":{}}`,
  });
  expect(await session.callTool('mute', {}, { timeoutMs: 20 })).toEqual({
    kind: 'timed-out',
    reason: 'no answer within 20 ms',
  });
  expect(await session.callTool('nan', {}, limits)).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/^its answer is not valid JSON: .*NaN/) as string,
  });
  // The last line of a server has no end.
  expect(await session.callTool('last', {}, limits)).toMatchObject({ kind: 'answered' });
});

test('a server that closes its stdout and lives on ends its calls', async () => {
  await using session = await openSession(stdioServer('raw', ['mixed']));
  expect(await session.callTool('deaf', {}, limits)).toMatchObject({
    kind: 'disconnected',
    reason: 'it closed its stdout',
  });
});

test('passes a result on unchanged, also with content of an unknown kind', async () => {
  await using session = await openSession(stdioServer('raw'));
  expect(await session.callTool('one', {}, limits)).toEqual({
    kind: 'answered',
    result: {
      content: [
        { type: 'text', text: 'fine' },
        { type: 'hologram', depth: 3 },
      ],
    },
  });
});

test.each(['scalar', 'nothing'])('an answer without a result (%s) fails its call at once', async (mode) => {
  await using session = await openSession(stdioServer('raw', [mode]));
  const failed = { kind: 'failed', reason: 'its answer is not an MCP result' };
  expect(await session.callTool('one', {}, limits)).toEqual(failed);
});

test.each([
  ['unread', 'Parse error (at byte 5)'],
  ['data', 'no ({"field":"a"})'],
  ['object', '{"reason":"no room"}'],
  ['plain', 'it broke'],
])('an error of the form %s fails its call at once with the text of the server', async (mode, reason) => {
  await using session = await openSession(stdioServer('raw', [mode]));
  expect(await session.callTool('one', {}, limits)).toEqual({ kind: 'failed', reason });
});

test('an error without an id fails the calls that no other answer ends', async () => {
  await using session = await openSession(stdioServer('raw', ['mixed']));
  const answers = await Promise.all(['one', 'unread', 'one'].map((name) => session.callTool(name, {}, limits)));
  expect(answers.map(({ kind }) => kind)).toEqual(['answered', 'failed', 'answered']);
});

test('an error without an id waits for the calls that are still answered', async () => {
  await using session = await openSession(stdioServer('raw', ['mixed']));
  const answers = await Promise.all(['held', 'unread'].map((name) => session.callTool(name, {}, limits)));
  expect(answers.map(({ kind }) => kind)).toEqual(['answered', 'failed']);
});

test('a server that refuses notifications without an id fails no request', async () => {
  await using session = await openSession(stdioServer('raw', ['picky']));
  expect((await session.listTools()).schemas).toHaveLength(2);
  const late = session.callTool('held', {}, { timeoutMs: 1 });
  expect([await late, await session.callTool('one', {}, limits)].map(({ kind }) => kind)).toEqual([
    'timed-out',
    'answered',
  ]);
});

test('answers may come in a list, with the id as a text', async () => {
  await using session = await openSession(stdioServer('raw', ['pages']));
  expect(await session.callTool('one', {}, limits)).toEqual({ kind: 'answered', result: { content: [] } });
});

test('a result of 100,000 levels fails its call', async () => {
  await using session = await openSession(stdioServer('raw', ['deep']));
  const reason = 'its result is nested in more than 500 levels';
  expect(await session.callTool('one', {}, limits)).toEqual({ kind: 'failed', reason });
});

const bounded = (mode: string) => ({ ...stdioServer('raw', [mode]), maxMessageMb: 0.01 });

test('max_message_mb bounds a message and all pages of a list of tools', { tags: 'long' }, async () => {
  const reasonOfOne = 'its answer is too large: more than 0.5 MiB; max_message_mb of the provider sets this limit';
  await using session = await openSession({ ...bounded('mixed'), maxMessageMb: 0.5 });
  const calls = await Promise.all(['big', 'one'].map((name) => session.callTool(name, {}, limits)));
  expect(calls).toMatchObject([{ kind: 'failed', reason: reasonOfOne }, { kind: 'answered' }]);
  expect(session.lost).toBeUndefined();
  await using endless = await openSession(bounded('endless'));
  const reason = expect.stringMatching(/^its list of tools is too large: more than 0\.01 MiB/) as string;
  await expect(endless.listTools()).rejects.toMatchObject({ data: { reason } });
});

test('a line of a log that looks like an answer is none', async () => {
  await using session = await openSession(stdioServer('raw', ['log']));
  expect(await session.callTool('one', {}, limits)).toMatchObject({ result: { content: [{ text: 'fine' }, {}] } });
});

test('a tool that a server lists again with the same arguments is one tool', async () => {
  await using session = await openSession(stdioServer('raw', ['twice']));
  const { schemas } = await session.listTools();
  expect(
    schemas.map(({ function: { name, parameters } }) => [name, Object.keys(Object(parameters['properties']))]),
  ).toEqual([
    ['one', []],
    ['two', ['a']],
    ['one', ['a']],
  ]);
});

test('ignores other output of a server on stdout', async () => {
  await using session = await openSession(stdioServer('raw', ['noisy']));
  expect((await session.listTools()).schemas).toHaveLength(2);
  expect(await session.callTool('one', {}, limits)).toMatchObject({ kind: 'answered' });
});

test('accepts a result of 10 MB', { tags: 'long' }, async () => {
  await using session = await openSession(stdioServer('raw', ['big']));
  const answer = await session.callTool('one', {}, limits);
  expect(answer.kind === 'answered' && JSON.stringify(answer.result).length).toBeGreaterThan(10 * 2 ** 20);
});

test('integers keep all their digits, and schemas can cross threads', async () => {
  await using session = await openSession(stdioServer('raw', ['digits']));
  const [schema] = (await session.listTools()).schemas;
  expect(structuredClone(schema)?.function.parameters).toMatchObject({ properties: { n: { maximum: 2 ** 63 } } });
  const answer = await session.callTool('one', {}, limits);
  expect(JSON.stringify(answer)).toContain('"structuredContent":{"n":12345678901234567890}');
});

test('a flood on stderr blocks nothing', { tags: 'long' }, async () => {
  await using session = await openSession(stdioServer('raw', ['flood']));
  expect(await session.callTool('one', {}, limits)).toMatchObject({ kind: 'answered' });
});

test('waits for a server that is slow to start', { tags: 'long' }, async () => {
  await using session = await openSession(stdioServer('raw', ['slow']));
  expect((await session.listTools()).schemas).toHaveLength(2);
});

test.each([
  ['refuse', 'the licence of this server has expired'],
  ['ancient', "Server's protocol version is not supported: 1999-01-01"],
])('reports why the handshake failed (%s), and leaves no process', async (mode, reason) => {
  const events = eventFile();
  const opening = openSession(stdioServer('raw', [mode], { EVENTS: events.path }));
  await expect(opening).rejects.toMatchObject({ code: 'tool/unavailable', data: { reason } });
  const [pid] = (events.lines()[0] ?? '').split(' ');
  await until(() => !isAlive(Number(pid)));
});

test('reports a command that was not found', async () => {
  const provider = { ...stdioServer('raw'), command: 'no-such-command-here' };
  await expect(openSession(provider)).rejects.toMatchObject({
    code: 'tool/unavailable',
    data: {
      provider: 'local',
      reason: "command 'no-such-command-here' was not found; install it, or correct 'command' of the provider",
    },
  });
});

test('starts the process in the folder of its provider, and reports a missing folder', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
  const where = { name: 'here', providerType: 'stdio', command: 'sh', env: {} } as const;
  const said = `echo "in $(pwd)" >&2; exit 1`;
  await expect(openSession({ ...where, args: ['-c', said], cwd })).rejects.toMatchObject({
    data: { reason: `its process ended with code 1; stderr: in ${cwd}` },
  });
  await expect(openSession({ ...where, args: [], cwd: '/no/such/folder' })).rejects.toMatchObject({
    data: { reason: "its folder '/no/such/folder' does not exist" },
  });
});

test('reports how a server ended before it was ready, with its stderr and without its secrets', async () => {
  const provider = stdioServer('raw', ['exit'], { API_TOKEN: 'very-secret-token' });
  await expect(openSession(provider)).rejects.toMatchObject({
    data: { reason: 'its process ended with code 3; stderr: cannot find my database; token [secret]' },
  });
});

test('gives up on a server without a handshake, quoting its stderr', { tags: 'long' }, async () => {
  // A shell prints within milliseconds; a Node.js server would have to load first.
  const mute = { command: 'sh', args: ['-c', 'echo still warming up >&2; exec sleep 60'] };
  const opening = openSession({ ...stdioServer('raw'), ...mute }, { handshakeTimeoutMs: 700 });
  await expect(opening).rejects.toMatchObject({
    code: 'tool/unavailable',
    data: { reason: 'it did not answer the MCP handshake within 0.7 s; stderr: still warming up' },
  });
});

test('gives the process only a safe environment and the variables of its provider', { tags: 'long' }, async () => {
  process.env.NOT_FOR_TOOLS = 'private';
  await using session = await openSession(stdioServer('tools', [], { FOR_TOOLS: 'yes' }));
  const names = JSON.stringify(await session.callTool('environment', {}, limits)).split(/\W/);
  expect(names).toContain('FOR_TOOLS');
  expect(names).toContain('PATH');
  expect(names).not.toContain('NOT_FOR_TOOLS');
});

test('distinguishes a protocol error from an error of a tool', { tags: 'long' }, async () => {
  await using session = await openSession(stdioServer('tools'));
  expect(await session.callTool('fly', {}, limits)).toEqual({ kind: 'failed', reason: 'Unknown tool: fly' });
  expect(await session.callTool('fail', {}, limits)).toMatchObject({ kind: 'answered', result: { isError: true } });
});

test('ends a call at its timeout and cancels it at the server', { tags: 'long' }, async () => {
  const events = eventFile();
  await using session = await openSession(stdioServer('tools', [], { EVENTS: events.path }));
  const result = await session.callTool('wait', { ms: 60_000 }, { timeoutMs: 200 });
  expect(result).toEqual({ kind: 'timed-out', reason: 'no answer within 200 ms' });
  await until(() => events.lines().includes('cancelled'));
  expect(await session.callTool('echo', { text: 'still here' }, limits)).toMatchObject({ kind: 'answered' });
});

test(
  'rejects with run/aborted when the signal is aborted, and cancels the call at the server',
  { tags: 'long' },
  async () => {
    const events = eventFile();
    await using session = await openSession(stdioServer('tools', [], { EVENTS: events.path }));
    const abort = new AbortController();
    const call = session.callTool('wait', { ms: 60_000 }, { timeoutMs: 60_000, signal: abort.signal });
    await until(() => events.lines().includes('waiting'));
    abort.abort(new Error('enough'));
    await expect(call).rejects.toMatchObject({ code: 'run/aborted', data: { reason: 'enough' } });
    await until(() => events.lines().includes('cancelled'));
  },
);

test('fails every call in flight at once when the server crashes, quoting its stderr', { tags: 'long' }, async () => {
  await using session = await openSession(stdioServer('tools'));
  const waiting = session.callTool('wait', { ms: 60_000 }, { timeoutMs: 60_000 });
  const crashing = session.callTool('crash', {}, { timeoutMs: 60_000 });
  const lost = { kind: 'disconnected', reason: 'its process ended with code 7; stderr: out of cheese' };
  const cutOff = { ...lost, isUnsent: false };
  expect(await Promise.all([waiting, crashing])).toEqual([cutOff, cutOff]);
  expect(session.lost).toBe(lost.reason);
  expect(await session.callTool('echo', {}, limits)).toEqual({ ...lost, isUnsent: true });
});

test('leaves no process behind, even of a server that ignores its stdin and SIGTERM', { tags: 'long' }, async () => {
  const events = eventFile();
  const polite = await openSession(stdioServer('tools', [], { EVENTS: events.path }));
  const pid = Number(events.lines()[0]?.replace('start ', ''));
  expect(isAlive(pid)).toBe(true);
  await polite[Symbol.asyncDispose]();
  await until(() => !isAlive(pid));

  const file = eventFile();
  const { command, args } = stdioServer('raw', ['stubborn']);
  const shell = `echo $$ > ${file.path}; "$0" "$@"; true`;
  const wrapped = { ...stdioServer('raw'), command: 'sh', args: ['-c', shell, command, ...args] };
  const stubborn = await openSession(wrapped, { graceMs: 100 });
  await stubborn[Symbol.asyncDispose]();
  await until(() => !isAlive(-Number(file.lines()[0])));
});

test('ends processes that a server left in its group, even if the server itself is gone', async () => {
  const file = eventFile();
  const { command, args } = stdioServer('raw');
  // The process left behind closes its pipes and ignores SIGTERM.
  const shell = `(trap "" TERM; while :; do sleep 1; done) <&- >&- 2>&- & echo $! > ${file.path}; exec "$0" "$@"`;
  const session = await openSession(
    { ...stdioServer('raw'), command: 'sh', args: ['-c', shell, command, ...args] },
    { graceMs: 100 },
  );
  expect(isAlive(Number(file.lines()[0]))).toBe(true);
  await session[Symbol.asyncDispose]();
  await until(() => !isAlive(Number(file.lines()[0])));
});

test.each(['tools', 'stubborn'])(
  'a server (%s) ends with its host, even if the host is killed',
  { tags: 'long' },
  async (mode) => {
    const events = eventFile();
    const program = fileURLToPath(new URL('../test/abandoned-host.ts', import.meta.url));
    const host = spawn(process.execPath, ['--conditions=@data-designer/source', program, mode], {
      env: { ...process.env, EVENTS: events.path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(host.stdout, 'data');
    const pid = Number(/\d+/.exec(events.lines()[0] ?? '')?.[0]);
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await until(() => !isAlive(pid));
  },
);
