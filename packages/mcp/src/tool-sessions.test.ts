import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, stdioServer, until } from '../test/providers.ts';
import { ToolSessions } from './tool-sessions.ts';

/** A provider whose server notes its process ids. */
function noted(): { readonly provider: ReturnType<typeof stdioServer>; readonly pids: () => readonly number[] } {
  const path = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'events');
  const pids = (): number[] =>
    [...readFileSync(path, 'utf8').matchAll(/^start (\d+)$/gm)].map(([, pid]) => Number(pid));
  return { provider: stdioServer('tools', [], { EVENTS: path }), pids };
}

const limits = { timeoutMs: 10_000 };
const echo = { name: 'echo', arguments: { text: 'hello' } };
const hello = { status: 200, headers: {}, body: '{"content":[{"type":"text","text":"hello"}]}' };

test('shares one process among all who call at once', async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  const calls = Array.from({ length: 20 }, () => sessions.call({ ...provider }, echo, limits));
  await Promise.all([sessions.listTools(provider), ...calls]);
  expect(await calls[19]).toEqual(hello);
  expect(pids()).toHaveLength(1);
});

test('lists once', async () => {
  const { provider } = noted();
  await using sessions = new ToolSessions();
  const [first, second] = await Promise.all([sessions.listTools(provider), sessions.listTools(provider)]);
  expect(second).toBe(first);
  expect(first?.map((tool) => tool.function.name)).toContain('echo');
});

test('replaces a server that died between two calls', async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  await sessions.call(provider, echo, limits);
  process.kill(pids()[0] as number, 'SIGKILL');
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
  expect(pids()).toHaveLength(2);
});

test('makes a call once more when the server died under it', async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  const outcome = await sessions.call(provider, { name: 'crash_once', arguments: {} }, limits);
  expect(outcome).toMatchObject({ status: 200, body: expect.stringContaining('survived in process 2') });
  expect(pids()).toHaveLength(2);
});

test('answers 502 with the last words of a server that dies under a call twice', async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  expect(await sessions.call(provider, { name: 'crash', arguments: {} }, limits)).toEqual({
    status: 502,
    headers: {},
    body: 'its process ended with code 7; stderr: out of cheese',
  });
  expect(pids()).toHaveLength(2);
  expect(await sessions.call(provider, echo, limits)).toEqual(hello);
});

test('answers 504 after a timeout, without a second try', async () => {
  const { provider, pids } = noted();
  await using sessions = new ToolSessions();
  const request = { name: 'wait', arguments: { ms: 60_000 } };
  expect(await sessions.call(provider, request, { timeoutMs: 1_000 })).toEqual({
    status: 504,
    headers: {},
    body: 'no answer within 1000 ms',
  });
  expect(pids()).toHaveLength(1);
});

test('answers 502 when no session can be had, and tries again with the next call', async () => {
  const provider = { ...stdioServer('tools'), command: 'no-such-command-here' };
  await using sessions = new ToolSessions();
  const reason = "The tool provider 'local' cannot be used: command 'no-such-command-here' was not found.";
  expect(await sessions.call(provider, echo, limits)).toEqual({ status: 502, headers: {}, body: reason });
  await expect(sessions.listTools(provider)).rejects.toMatchObject({ code: 'tool/unavailable' });
  await expect(sessions.listTools(provider)).rejects.toMatchObject({ code: 'tool/unavailable' });
});

test('stops waiting at once when the signal is aborted', async () => {
  const abort = new AbortController();
  await using sessions = new ToolSessions();
  const provider = stdioServer('raw', ['silent']);
  const call = sessions.call(provider, echo, { timeoutMs: 60_000, signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(call).rejects.toMatchObject({ code: 'run/aborted' });
});

test('leaves no process behind, fails what is in flight, and opens nothing afterwards', async () => {
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

test('a session that is still being opened does not hold up the end', async () => {
  const sessions = new ToolSessions({ graceMs: 100 });
  const listing = sessions.listTools(stdioServer('raw', ['silent']));
  listing.catch(() => undefined);
  await sessions[Symbol.asyncDispose]();
  await expect(listing).rejects.toMatchObject({ code: 'tool/unavailable' });
});
