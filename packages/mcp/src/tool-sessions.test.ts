import { expect, test } from 'vitest';
import { eventFile } from '../test/event-file.ts';
import { isAlive, stdioServer, until } from '../test/providers.ts';
import type { StdioToolProvider } from './provider.ts';
import type { SessionEvent } from './tool-session.ts';
import { ToolSessions } from './tool-sessions.ts';

/** A provider whose server logs its process ids. */
function noted() {
  const { path, lines } = eventFile();
  const pids = (): number[] =>
    lines()
      .flatMap((line) => /^start (\d+)$/.exec(line)?.[1] ?? [])
      .map(Number);
  return { provider: stdioServer('tools', [], { EVENTS: path }), pids, lines };
}

const limits = { timeoutMs: 60_000 };
const echo = { name: 'echo', arguments: { text: 'hello' } };
const hello = { status: 200, headers: {}, body: '{"content":[{"type":"text","text":"hello"}]}' };

/** Tells a lost connection from a refusal by the server. */
const GONE = { 'tool-failure': 'connection' };

test('shares one process among concurrent calls', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  const calls = Array.from({ length: 20 }, () => sessions.call({ ...provider }, echo, limits));
  await Promise.all([sessions.listTools(provider), ...calls]);
  expect(await calls[19]).toEqual(hello);
  expect(pids()).toHaveLength(1);
});

test('lists tools once', { tags: 'long' }, async () => {
  const { provider } = noted();
  await using sessions = new ToolSessions();
  const [first, second] = await Promise.all([sessions.listTools(provider), sessions.listTools(provider)]);
  expect(second).toBe(first);
  expect(first?.map((tool) => tool.function.name)).toContain('echo');
});

test('replaces a server that died between two calls', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  const events: SessionEvent[] = [];
  await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
  await sessions.call(provider, echo, limits);
  process.kill(pids()[0] as number, 'SIGKILL');
  await until(() => events.some(({ type }) => type === 'tool-session-fail'));
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  expect(pids()).toHaveLength(2);
});

test('repeats a call whose server died if its tool may run twice', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  const outcome = await sessions.call(provider, { name: 'crash_once', arguments: {} }, limits);
  expect(outcome).toMatchObject({ status: 200, body: expect.stringContaining('survived in process 2') });
  expect(pids()).toHaveLength(2);
});

test(
  'a tool that writes and then dies writes once, whether its server was listed in this run or not',
  { tags: 'long' },
  async () => {
    for (const isListed of [true, false]) {
      const { provider, pids, lines } = noted();
      await using sessions = new ToolSessions();
      if (isListed) await sessions.listTools(provider);
      expect(await sessions.call(provider, { name: 'write_and_crash', arguments: {} }, limits)).toEqual({
        status: 502,
        headers: GONE,
        body: 'its process ended with code 7; the outcome is unknown: the tool may have run',
      });
      expect(lines().filter((line) => line === 'written')).toHaveLength(1);
      expect(await sessions.call(provider, echo, limits)).toEqual(hello);
      expect(pids()).toHaveLength(2);
    }
  },
);

test('answers 502 with the stderr of a server that dies during a call', { tags: 'long' }, async () => {
  const { provider } = noted();
  await using sessions = new ToolSessions();
  expect(await sessions.call(provider, { name: 'crash', arguments: {} }, limits)).toEqual({
    status: 502,
    headers: GONE,
    body: 'its process ended with code 7; stderr: out of cheese; the outcome is unknown: the tool may have run',
  });
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
});

test('answers 504 after a timeout, without a retry', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  // The session is open before the timeout of the call starts.
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  const request = { name: 'wait', arguments: { ms: 60_000 } };
  expect(await sessions.call(provider, request, { timeoutMs: 1_000 })).toEqual({
    status: 504,
    headers: {},
    body: 'no answer within 1000 ms',
  });
  expect(pids()).toHaveLength(1);
});

test('answers 502 when no session can be opened, and tries again with the next call', async () => {
  const provider = { ...stdioServer('tools'), command: 'no-such-command-here' };
  await using sessions = new ToolSessions();
  const reason =
    "The tool provider 'local' cannot be used: command 'no-such-command-here' was not found; install it, or correct 'command' of the provider.";
  expect(await sessions.call(provider, echo, limits)).toEqual({ status: 502, headers: GONE, body: reason });
  await expect(sessions.listTools(provider)).rejects.toMatchObject({ code: 'tool/unavailable' });
  await expect(sessions.listTools(provider)).rejects.toMatchObject({ code: 'tool/unavailable' });
});

test('replaces a server that answers neither a call nor a ping', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  const events: SessionEvent[] = [];
  await using sessions = new ToolSessions({
    pingTimeoutMs: 100,
    graceMs: 100,
    onEvent: (event) => events.push(event),
  });
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  process.kill(pids()[0] as number, 'SIGSTOP');
  const late = { status: 504, headers: {}, body: 'no answer within 200 ms' };
  expect(await sessions.call(provider, echo, { timeoutMs: 200 })).toEqual(late);
  await until(() => events.some(({ type }) => type === 'tool-session-fail'));
  expect(events.at(-1)).toEqual({ type: 'tool-session-fail', provider: 'local', reason: 'it stopped answering' });
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  expect(pids()).toHaveLength(2);
});

test('keeps a server whose tool takes too long while it still answers pings', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  const events: SessionEvent[] = [];
  await using sessions = new ToolSessions({ pingTimeoutMs: 60_000, onEvent: (event) => events.push(event) });
  await sessions.listTools(provider);
  // The session is open before the timeout of the call starts.
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  const request = { name: 'wait', arguments: { ms: 60_000 } };
  expect(await sessions.call(provider, request, { timeoutMs: 100 })).toMatchObject({ status: 504 });
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  expect(events.map(({ type }) => type)).toEqual(['tool-session-start']);
  expect(pids()).toHaveLength(1);
});

test('reports when a session is opened, lost and reopened', { tags: 'long' }, async () => {
  const { provider } = noted();
  const events: SessionEvent[] = [];
  await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
  await sessions.call(provider, { name: 'crash_once', arguments: {} }, limits);
  expect(events).toEqual([
    { type: 'tool-session-start', provider: 'local', again: false },
    { type: 'tool-session-fail', provider: 'local', reason: 'its process ended with code 1' },
    { type: 'tool-session-start', provider: 'local', again: true },
  ]);
});

test(
  'spreads calls over as many sessions as a provider allows, and lists tools through one of them',
  { tags: 'long' },
  async () => {
    const { provider, pids } = noted();
    await using sessions = new ToolSessions();
    const several = { ...provider, maxSessions: 3 };
    const wait = { name: 'wait', arguments: { ms: 300 } };
    await sessions.listTools(several);
    await Promise.all(Array.from({ length: 9 }, () => sessions.call(several, wait, limits)));
    expect(pids()).toHaveLength(3);
    await sessions.call(several, echo, limits);
    expect(pids()).toHaveLength(3);
  },
);

test('reports once that tools have changed, keeps the listed tools, and fails calls of a removed one', async () => {
  const { path, lines } = eventFile();
  const provider = stdioServer('raw', ['changing'], { EVENTS: path });
  const events: SessionEvent[] = [];
  await using sessions = new ToolSessions({ onEvent: (event) => events.push(event) });
  const listed = await sessions.listTools(provider);
  expect(await sessions.call(provider, { name: 'one', arguments: {} }, limits)).toMatchObject({ status: 200 });
  await until(() => events.length === 2);
  expect(events[1]).toEqual({ type: 'tools-change', provider: 'local' });
  expect(await sessions.call(provider, { name: 'one', arguments: {} }, limits)).toEqual({
    status: 502,
    headers: {},
    body: 'there is no tool one any more',
  });
  expect(await sessions.call(provider, { name: 'two', arguments: {} }, limits)).toMatchObject({ status: 200 });
  await until(() => lines().filter((line) => line.endsWith('tools/list')).length === 3);
  expect(await sessions.listTools(provider)).toBe(listed);
  expect(events).toHaveLength(2);
});

test('stops waiting at once when the signal is aborted', async () => {
  const abort = new AbortController();
  await using sessions = new ToolSessions();
  const provider = stdioServer('raw', ['silent']);
  const call = sessions.call(provider, echo, { timeoutMs: 60_000, signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(call).rejects.toMatchObject({ code: 'run/aborted' });
});

test('leaves no process behind, fails calls in flight, and opens no session afterwards', async () => {
  const { provider, pids } = noted();
  const sessions = new ToolSessions();
  await sessions.listTools(provider);
  const waiting = sessions.call(provider, { name: 'wait', arguments: { ms: 60_000 } }, limits);
  await sessions[Symbol.asyncDispose]();
  expect(await waiting).toMatchObject({ status: 502 });
  expect(await sessions.call(provider, echo, limits)).toMatchObject({ status: 502 });
  await until(() => pids().every((pid) => !isAlive(pid)));
  expect(pids()).toHaveLength(1);
});

test('disposal does not wait for a session that is still opening', async () => {
  const sessions = new ToolSessions({ graceMs: 100 });
  const listing = sessions.listTools(stdioServer('raw', ['silent']));
  listing.catch(() => undefined);
  await sessions[Symbol.asyncDispose]();
  await expect(listing).rejects.toMatchObject({ code: 'tool/unavailable' });
});

/** Providers of different servers, and those of them that have a process. */
function manyServers(count: number) {
  const made = Array.from({ length: count }, (_, index) => {
    const own = eventFile();
    const pids = (): number[] =>
      own
        .lines()
        .flatMap((line) => /^start (\d+)$/.exec(line)?.[1] ?? [])
        .map(Number);
    return { provider: { ...stdioServer('tools', [], { EVENTS: own.path }), name: `server-${index}` }, pids };
  });
  const alive = (): number[] => made.flatMap(({ pids }, index) => (pids().some(isAlive) ? [index] : []));
  return { made, alive };
}

test(
  'no more processes are alive than allowed, and the one that is idle for longest makes room',
  { tags: 'long' },
  async () => {
    const { made, alive } = manyServers(4);
    const [a, b, c, d] = made.map(({ provider }) => provider) as [
      StdioToolProvider,
      StdioToolProvider,
      StdioToolProvider,
      StdioToolProvider,
    ];
    const events: SessionEvent[] = [];
    await using sessions = new ToolSessions({ mostProcesses: 2, onEvent: (event) => events.push(event) });
    const left: number[][] = [];
    for (const provider of [a, b, c, b, d, a]) {
      expect(await sessions.call(provider, echo, limits)).toEqual(hello);
      left.push(alive());
    }
    expect(left).toEqual([[0], [0, 1], [1, 2], [1, 2], [1, 3], [0, 3]]);
    // One that was ended to make room is not a lost one.
    expect(events.map(({ type }) => type)).toEqual(Array(4).fill('tool-session-start'));
  },
);

test(
  'calls to more providers than may be alive wait for one another, and no call under way loses its server',
  { tags: 'long' },
  async () => {
    const { made } = manyServers(5);
    await using sessions = new ToolSessions({ mostProcesses: 2 });
    const [slow] = made;
    const waiting = sessions.call(
      slow?.provider as StdioToolProvider,
      { name: 'wait', arguments: { ms: 400 } },
      limits,
    );
    // A wait for a place is not in the time of a call.
    const calls = made.flatMap(({ provider }) => [
      sessions.listTools(provider),
      sessions.call(provider, echo, { timeoutMs: 60_000 }),
    ]);
    await Promise.all(calls);
    expect(await waiting).toMatchObject({ status: 200 });
    expect(slow?.pids()).toHaveLength(1);
  },
);

test(
  'a call that waits for a place stops at once when the signal is aborted, and the place goes to another',
  { tags: 'long' },
  async () => {
    const { made } = manyServers(2);
    const [a, b] = made.map(({ provider }) => provider) as [StdioToolProvider, StdioToolProvider];
    await using sessions = new ToolSessions({ mostProcesses: 1 });
    const first = sessions.call(a, { name: 'wait', arguments: { ms: 300 } }, limits);
    const abort = new AbortController();
    const second = sessions.call(b, echo, { ...limits, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(second).rejects.toMatchObject({ code: 'run/aborted' });
    expect(await first).toMatchObject({ status: 200 });
    expect(await sessions.call(b, echo, limits)).toEqual(hello);
  },
);

test('a rested provider has no process until its next call', { tags: 'long' }, async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions({ mostProcesses: 3 });
  const listed = await sessions.listTools(provider);
  await sessions.rest(provider);
  expect(pids().filter(isAlive)).toEqual([]);
  expect(await sessions.listTools(provider)).toBe(listed);
  expect(pids()).toHaveLength(1);
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  expect(pids()).toHaveLength(2);
});

test('disposal ends calls that wait for a place', async () => {
  const { made } = manyServers(2);
  const [a, b] = made.map(({ provider }) => provider) as [StdioToolProvider, StdioToolProvider];
  const sessions = new ToolSessions({ mostProcesses: 1, graceMs: 100 });
  const calls = [a, b].map((provider) =>
    sessions.call(provider, { name: 'wait', arguments: { ms: 60_000 } }, { timeoutMs: 600_000 }),
  );
  await until(() => (made[0]?.pids().length ?? 0) === 1);
  await sessions[Symbol.asyncDispose]();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([502, 502]);
  expect(made[1]?.pids()).toEqual([]);
});
