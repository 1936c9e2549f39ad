import { createServer } from 'node:http';
import { once } from 'node:events';
import { DataDesignerError } from '@data-designer/core';
import { expect, test } from 'vitest';
import { messageForModel } from './opening-advice.ts';
import type { ToolProvider } from './provider.ts';
import { openSession } from './session-slot.ts';

async function refusalOf(provider: object): Promise<unknown> {
  return openSession({ name: 'own', ...provider } as ToolProvider, { handshakeTimeoutMs: 2_000 }).catch(
    (thrown: unknown) => thrown,
  );
}

const started = async (code: string, ...args: readonly string[]): Promise<string> =>
  String(
    await refusalOf({ providerType: 'stdio', command: process.execPath, args: ['-e', code, '--', ...args], env: {} }),
  );

test('a server that ends at once is named by its command without secrets, with what to do', async () => {
  const message = await started('process.exit(3)', '--token', 'abc', '--api-key=def', 'fast');
  expect(message).toContain('its process ended with code 3. It was started with `');
  expect(message).toContain('-e process.exit(3) -- --token … --api-key=… fast`. Run this command to see why it fails,');
});

test('a server that prints text on stdout is told to log to stderr', async () => {
  const message = await started('console.log("Ready.")');
  expect(message).toContain('the last text that it sent is no answer to a request: Ready.');
  expect(message).toContain('`. Its stdout may have MCP messages only: let it log to stderr,');
});

test('a command that is not found is named once', async () => {
  const provider = { providerType: 'stdio', command: 'no-such-server-of-tools', args: [], env: {} };
  expect(String(await refusalOf(provider))).toMatch(/or correct 'command' of the provider\.$/);
});

test('an address with a web page is named without its query and without a key in its path', async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<html></html>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const endpoint = `http://127.0.0.1:${port}/s/4eC39HqLyjWDarjtT1zd/mcp?key=abc`;
  for (const providerType of ['streamable_http', 'sse']) {
    const message = String(await refusalOf({ providerType, endpoint }));
    expect(message).toContain(`Its endpoint is http://127.0.0.1:${port}/s/…/mcp. A web page answers there`);
  }
  server.close();
});

test('a model gets the failure without the command', () => {
  const data = { provider: 'own', reason: 'it ended', remedy: 'It was started with `x`.' };
  const plain = "The tool provider 'own' cannot be used: it ended.";
  expect(messageForModel(new DataDesignerError('tool/unavailable', data))).toBe(plain);
  expect(messageForModel(new Error('no'))).toBe('Unexpected error: no');
});
